#include "sampler/signal_choice.h"

#include <utility>

#include "sampler/thread_list.h"
#include "signal/sampling_signal.h"

namespace geckoprof {
namespace {

KernelSignalSet BlockedBy(const SampledThread& thread) {
  if (thread.is_signal_blocked) return ThreadList::BlockedSignals(thread.tid);  // the mask was set without base's hooks
  return thread.slot != nullptr ? thread.slot->blocked_signals.load(std::memory_order_relaxed) : 0;
}

}  // namespace

void SignalChoice::Choose(const std::vector<std::unique_ptr<SampledThread>>& threads, bool silent, int64_t now_ns) {
  if (!std::exchange(any_blocked_, false) || now_ns < next_ns_) return;
  next_ns_ = now_ns + kPauseNs;
  const KernelSignalSet used = SignalBit(SamplingSignal::Current());
  const KernelSignalSet other = SamplingSignal::CandidateSet() & ~used;
  int gain = 0;
  for (const auto& thread : threads) {
    if (thread->idle_looks > 0) continue;
    const KernelSignalSet blocked = BlockedBy(*thread);
    gain += (silent || (blocked & used) != 0 ? 1 : 0) - ((blocked & other) != 0 ? 1 : 0);
  }
  if (gain > 0) SamplingSignal::UseOther();
}

}  // namespace geckoprof
