#include "geckoprofiler/thread_profiling_policy.h"

#include "geckoprof/base/kernel_thread_name.h"
#include "geckoprofiler/profiler_thread_ids.h"

namespace geckoprof {
namespace {

bool MatchesMain(const ThreadFilter& filter, const char* thread_name) {
  const ProcessId pid = profiler_current_process_id();
  char name[64] = "";
  if (filter.size() != 0) ReadKernelThreadName(ThreadId::FromNumber(pid.ToNumber()), name);
  return filter.MatchesMain(thread_name, name, pid);
}

}  // namespace

ThreadProfilingFeatures ThreadProfilingPolicy::FeaturesFor(const char* thread_name, bool is_main) const {
  using enum ThreadProfilingFeatures;
  if (is_main ? MatchesMain(filter, thread_name) : filter.Matches(thread_name, profiler_current_process_id()))
    return Any;
  return Combine((features & kFeatureCpuAllThreads) != 0 ? CPUUtilization : NotProfiled,
                 (features & kFeatureSamplingAllThreads) != 0 ? Sampling : NotProfiled, Markers);
}

}  // namespace geckoprof
