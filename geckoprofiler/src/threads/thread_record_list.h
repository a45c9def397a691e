#ifndef GECKOPROF_GECKOPROFILER_THREADS_THREAD_RECORD_LIST_H_
#define GECKOPROF_GECKOPROFILER_THREADS_THREAD_RECORD_LIST_H_

#include <atomic>
#include <cstdint>

#include "threads/registered_thread.h"

namespace geckoprof {

// ThreadRecordList: the records of all registered threads, in no useful order but with the latest first.
//
//   Add                                tidy                            Remove                      tidy
//   ----> arrivals_ (pushed, linked) -------> linked_ (two links) ..........> departed_ (pushed) -----> freed
//
//   state_: readers in bits 0 to 29; kTidying and kWaiters (for the end of it) never together with readers
//
// Requirement: a thread that begins or ends waits for no other thread. A reader may use a record for as long as it
// likes. With a mutex every thread would wait for the longest walk. Counted references would cost two
// read-modify-writes for each record of a walk. Here a push is one compare-and-swap on a head. Records are moved,
// unlinked and freed only while there is no reader. A thread that leaves does this, or the last reader does it for
// threads that left meanwhile. Readers that come just then wait for a few hundred ns. If a thread's Remove comes before
// a reader's Enter, the reader does not see it alive (is_registered). A record that was added before Enter is seen.
//
// Threads: any that libc knows.
// Context: not signal context.
// Lifetime: static. It needs no constructor and no destructor.
class ThreadRecordList {
 public:
  // Called by the record's thread. The list takes the record over, and frees it after Remove.
  void Add(RegisteredThread* record);
  // Called by the thread that added the record, after its End. The record may be freed before this returns.
  void Remove(RegisteredThread* record);

  // A reader calls these two. No record is freed between them. They nest.
  void Enter();
  void Exit();

  // Readers walk with these two. The record is null at the end. It includes records that have left.
  struct Position {
    RegisteredThread* record = nullptr;
    bool linked = false;
  };
  Position First() const;
  Position Next(Position position) const;

  // Called in the child of a fork. It drops the records of threads that do not exist there, and frees none, because the
  // stacks of those threads may hold pointers to them. `mine` is the calling thread's record, or null. `holds` tells
  // how often that thread is in Enter.
  void ResetInForkedChild(RegisteredThread* mine, uint32_t holds);

 private:
  static constexpr uint32_t kTidying = 1u << 31;
  static constexpr uint32_t kWaiters = 1u << 30;

  void TidyIfIdle();
  RegisteredThread* Unlink();
  void LinkArrivals();

  // Atomic. Sequentially consistent where a thread looks at both. A thread that finds state_ busy after its push to
  // departed_ relies on the busy thread, which looks at departed_ after it has changed state_.
  std::atomic<uint32_t> state_{0};
  std::atomic<RegisteredThread*> arrivals_{nullptr};
  std::atomic<RegisteredThread*> departed_{nullptr};
  // The thread that set kTidying changes it.
  RegisteredThread* linked_ = nullptr;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREADS_THREAD_RECORD_LIST_H_
