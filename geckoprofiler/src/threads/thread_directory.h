#ifndef GECKOPROF_GECKOPROFILER_THREADS_THREAD_DIRECTORY_H_
#define GECKOPROF_GECKOPROFILER_THREADS_THREAD_DIRECTORY_H_

#include "geckoprof/base/ids.h"
#include "geckoprof/config/thread_filter.h"
#include "runtime/api_locks.h"
#include "threads/registered_thread.h"
#include "threads/thread_record_list.h"

namespace geckoprof {

// ThreadDirectory: all threads that are registered with the full library, as other threads see them, and which of them
// the recording selects. It is not base's list of threads, which has every thread that is sampled.
//
//   ThreadDirectory::Walk walk;
//   while (RegisteredThread* thread = walk.Next()) names.emplace_back(thread->name());
//
// ApiLockRank has the order of locks.
//
// Threads: any that libc knows, so not the sampler's.
// Context: not signal context.
class ThreadDirectory {
 public:
  // A walk over the threads. Any number of threads may walk, and a walk may lie inside another one. It keeps the
  // records alive and keeps no thread from beginning or ending. It shows the threads that were registered when it
  // began, and may leave out those that end. Threads: stays on the one that made it.
  class Walk {
   public:
    Walk();
    ~Walk();
    Walk(const Walk&) = delete;
    Walk& operator=(const Walk&) = delete;

    // Null at the end.
    RegisteredThread* Next();

   private:
    const ApiLocks::Scope order_{ApiLockRank::kRegistry};
    ThreadRecordList::Position next_;
  };

  // From now on a thread is selected if the filter says so, whether it is registered already or later. If two calls
  // overlap, the later one holds.
  static void StartProfiling(const ThreadFilter& filter);
  // No thread is selected.
  static void StopProfiling();

 private:
  friend class CurrentThread;
  // Becomes the owner of the record.
  static void Add(RegisteredThread* thread);
  static void Remove(RegisteredThread* thread);
  // `mine` is the record of the thread that forked, or null.
  static void ResetInForkedChild(RegisteredThread* mine);
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREADS_THREAD_DIRECTORY_H_
