#include "geckoprofiler/thread_profiling_policy.h"

#include "geckoprofiler/profiler_thread_ids.h"

namespace geckoprof {

ThreadProfilingFeatures ThreadProfilingPolicy::FeaturesFor(const char* thread_name, bool is_main) const {
  using enum ThreadProfilingFeatures;
  const ProcessId pid = profiler_current_process_id();
  if (is_main ? filter.MatchesMain(thread_name, pid) : filter.Matches(thread_name, pid)) return Any;
  return Combine((features & kFeatureCpuAllThreads) != 0 ? CPUUtilization : NotProfiled,
                 (features & kFeatureSamplingAllThreads) != 0 ? Sampling : NotProfiled, Markers);
}

}  // namespace geckoprof
