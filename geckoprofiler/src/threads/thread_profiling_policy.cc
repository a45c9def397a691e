#include "geckoprofiler/thread_profiling_policy.h"

#include "geckoprofiler/profiler_thread_ids.h"

namespace geckoprof {

ThreadProfilingFeatures ThreadProfilingPolicy::FeaturesFor(const char* thread_name) const {
  using enum ThreadProfilingFeatures;
  if (filter.Matches(thread_name, profiler_current_process_id())) return Any;
  return Combine((features & kFeatureCpuAllThreads) != 0 ? CPUUtilization : NotProfiled,
                 (features & kFeatureSamplingAllThreads) != 0 ? Sampling : NotProfiled, Markers);
}

}  // namespace geckoprof
