#ifndef GECKOPROF_BASEPROFILER_SAMPLER_KERNEL_THREAD_VIEW_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_KERNEL_THREAD_VIEW_H_

#include <cstdint>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/ids.h"
#include "geckoprof/modules/process_memory.h"
#include "sampler/run_delay.h"
#include "sampler/thread_list.h"
#include "sampler/thread_view.h"
#include "sampler/wait_cause.h"

namespace geckoprof {

// LockOwner finds out which thread holds the lock that another thread waits for. It reads the lock's memory through the
// kernel, because the program may free the lock at any time.
//
//   glibc's pthread_mutex_t    | lock | count | owner | ...        the futex is `lock`
//   priority inheriting,
//   robust, and musl's         | owner and flags |                 the futex is the word itself
//   glibc's pthread_rwlock_t   | readers | writers | phase | writers' futex | - | - | writer |
//                                                    the futex is `phase` or the writers' one
//
// Rust's and Go's locks have no owner. The memory behind them may have any value, so a caller must check that the owner
// is a thread of the process.
//
// Threads: the sampler's thread.
// Context: not signal context.
struct LockOwner {
  uint64_t lock_address = 0;  // 0: the thread does not wait for a lock
  ThreadId candidate;         // unspecified if the lock does not name an owner

  static LockOwner Find(const SystemCall& call, const ProcessMemory& memory);
};

// KernelThreadView: the threads of this process, as the kernel shows them.
//
// Threads: the sampler's thread, because open files belong to its descriptor table.
class KernelThreadView final : public ThreadView {
 public:
  explicit KernelThreadView(const ThreadList* threads) : threads_(*threads) {}

  int64_t NowNs() override { return MonotonicNs(); }
  int64_t CpuNs(ThreadId tid) override { return ThreadCpuNs(tid); }
  BlockedThreadReader::State ReadPlace(const SampledThread& thread, BlockedThreadReader::Place& place) override {
    Fd temporary;
    return BlockedThreadReader::ReadPlace(threads_.SyscallFile(thread, temporary), place);
  }
  int64_t ReadyNs(const SampledThread& thread, bool has_run) override {
    RunDelay delay;
    Fd temporary;
    const bool is_read =
        schedstat_.is_counted() && schedstat_.Read(threads_.SchedstatFile(thread, temporary), has_run, delay);
    return is_read ? delay.ready_ns : -1;
  }
  WaitCause CauseAt(const SampledThread& thread, const BlockedThreadReader::Place& place) override {
    return CauseOfWait(place.call, ThreadDescriptors(thread.tid));
  }
  Wait WaitAt(const SampledThread& thread, const BlockedThreadReader::Place& place) override;
  KernelSignalSet BlockedSignals(ThreadId tid) override { return ThreadList::BlockedSignals(tid); }
  KernelSignalSet PendingSignals(ThreadId tid) override { return ThreadList::PendingSignals(tid); }

 private:
  const ThreadList& threads_;
  Schedstat schedstat_;
};

inline Wait KernelThreadView::WaitAt(const SampledThread& thread, const BlockedThreadReader::Place& place) {
  Wait wait{CauseAt(thread, place)};
  const LockOwner owner = LockOwner::Find(place.call, ProcessMemory());
  const SampledThread* const holder = owner.candidate.IsSpecified() ? threads_.Find(owner.candidate) : nullptr;
  wait.lock_address = owner.lock_address;
  if (holder != nullptr) wait.holder = holder->index;
  return wait;
}

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_KERNEL_THREAD_VIEW_H_
