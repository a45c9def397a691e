#ifndef GECKOPROF_GECKOPROFILER_THREADS_THREAD_RECORD_LIST_H_
#define GECKOPROF_GECKOPROFILER_THREADS_THREAD_RECORD_LIST_H_

#include <atomic>
#include <cstdint>

#include "threads/registered_thread.h"

namespace geckoprof {

// ThreadRecordList: the records of all registered threads, in no useful order but with the latest first.
//
//   Add                                tidy                            Leave                      tidy
//   ----> arrivals_ (pushed, linked) -------> settled_ (two links) ..........> departed_ (pushed) -----> freed
//
//   state_: readers in bits 0 to 29; kTidying and kWaiters (for the end of it) never together with readers
//
// Requirement: a thread that begins or ends waits for nobody, least of all for a walk over all threads; a reader may
// look at a record for as long as it likes. Options: a mutex (everybody waits for the longest walk); counted references
// (two read-modify-writes for each record of a walk); this. Choice: a push is one compare-and-swap on a head, and what
// was pushed is only moved, unlinked and freed while there is no reader: by a thread that leaves, or by the last reader
// if it found threads that left meanwhile. The cost of it is constant for each thread in the mean, and readers that
// come just then wait for a few hundred ns. If a thread's Leave comes before a reader's Enter, the reader does not see
// it alive (is_registered). A record that was added before Enter is seen.
//
// Threads: any that libc knows. Context: not signal context. Lifetime: static; needs no constructor and no destructor.
class ThreadRecordList {
 public:
  // Of the calling thread; takes the record over, to be freed after Leave.
  void Add(RegisteredThread* record);
  // Of the thread that added it, after its End; it may be freed before this returns.
  void Leave(RegisteredThread* record);

  // Between these two no record is freed. They nest.
  void Enter();
  void Exit();

  // A walk, for readers: null at its end. It includes records that have left.
  struct Place {
    RegisteredThread* record = nullptr;
    bool settled = false;
  };
  Place First() const;
  Place Next(Place place) const;

  // In the child of a fork: the records of threads that do not exist there are dropped, not freed (their threads'
  // stacks may hold the only pointers to them). `mine`: the calling thread's, or null. `holds`: how often it is in
  // Enter.
  void ResetInForkedChild(RegisteredThread* mine, uint32_t holds);

 private:
  static constexpr uint32_t kTidying = 1u << 31;
  static constexpr uint32_t kWaiters = 1u << 30;

  void TidyIfIdle();
  RegisteredThread* Unlink();
  void Settle();

  // Atomic. Sequentially consistent where one looks at both: who finds state_ busy after its push to departed_ relies
  // on the one who is busy to look at departed_ after it has changed state_.
  std::atomic<uint32_t> state_{0};
  std::atomic<RegisteredThread*> arrivals_{nullptr};
  std::atomic<RegisteredThread*> departed_{nullptr};
  // Changed by the one who set kTidying.
  RegisteredThread* settled_ = nullptr;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREADS_THREAD_RECORD_LIST_H_
