#ifndef GECKOPROF_BASEPROFILER_SAMPLER_KERNEL_THREAD_VIEW_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_KERNEL_THREAD_VIEW_H_

#include "geckoprof/base/clock.h"
#include "sampler/thread_list.h"
#include "sampler/thread_view.h"

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
  KernelSignalSet BlockedSignals(ThreadId tid) override { return ThreadList::BlockedSignals(tid); }

 private:
  const ThreadList& threads_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_KERNEL_THREAD_VIEW_H_
