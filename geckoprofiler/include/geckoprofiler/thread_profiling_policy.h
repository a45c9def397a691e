#ifndef GECKOPROF_GECKOPROFILER_THREAD_PROFILING_POLICY_H_
#define GECKOPROF_GECKOPROFILER_THREAD_PROFILING_POLICY_H_

#include <cstdint>

#include "geckoprof/config/thread_filter.h"
#include "geckoprofiler/thread_profiling_features.h"

namespace geckoprof {

// The features that ask for something of threads which the filters do not select.
inline constexpr uint32_t kFeatureCpuAllThreads = 1u << 16;
inline constexpr uint32_t kFeatureSamplingAllThreads = 1u << 17;
inline constexpr uint32_t kFeatureMarkersAllThreads = 1u << 18;

// ThreadProfilingPolicy: what a recording wants of which thread. A plain value.
struct ThreadProfilingPolicy {
  ThreadFilter filter;
  uint32_t features = 0;  // profiler feature bits; only the three above count

  // Everything for a thread that is selected, else the union of what is asked of all threads.
  [[gnu::visibility("default")]] ThreadProfilingFeatures FeaturesFor(const char* thread_name) const;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREAD_PROFILING_POLICY_H_
