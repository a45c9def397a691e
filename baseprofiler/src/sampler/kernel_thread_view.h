#ifndef GECKOPROF_BASEPROFILER_SAMPLER_KERNEL_THREAD_VIEW_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_KERNEL_THREAD_VIEW_H_

#include "geckoprof/base/clock.h"
#include "sampler/lock_owner.h"
#include "sampler/run_delay.h"
#include "sampler/thread_list.h"
#include "sampler/thread_view.h"
#include "sampler/wait_cause.h"

namespace geckoprof {

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
