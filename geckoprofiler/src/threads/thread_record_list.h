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
// Requirement: a thread that begins or ends waits for no other thread, and a reader may look at a record for as long
// as it likes. With a mutex every thread would wait for the longest walk. Counted references would cost two
// read-modify-writes for each record of a walk. Here a push is one compare-and-swap on a head. Records are moved,
// unlinked and freed only while there is no reader. A thread that leaves does this, or the last reader does it for
// threads that left meanwhile. Readers that come just then wait for a few hundred ns. If a thread's Leave comes before
// a reader's Enter, the reader does not see it alive (is_registered). A record that was added before Enter is seen.
//
// Threads: any that libc knows. Context: not signal context. Lifetime: static; needs no constructor and no destructor.
class ThreadRecordList {
 public:
  // Called by the record's thread. The list takes the record over, and frees it after Leave.
  void Add(RegisteredThread* record);
  // Called by the thread that added the record, after its End. The record may be freed before this returns.
  void Leave(RegisteredThread* record);

  // A reader calls these two. No record is freed between them. They nest.
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

  // Atomic. Sequentially consistent where a thread looks at both. A thread that finds state_ busy after its push to
  // departed_ relies on the busy thread, which looks at departed_ after it has changed state_.
  std::atomic<uint32_t> state_{0};
  std::atomic<RegisteredThread*> arrivals_{nullptr};
  std::atomic<RegisteredThread*> departed_{nullptr};
  // The thread that set kTidying changes it.
  RegisteredThread* settled_ = nullptr;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREADS_THREAD_RECORD_LIST_H_
