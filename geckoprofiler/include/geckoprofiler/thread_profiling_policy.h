#ifndef GECKOPROF_GECKOPROFILER_THREAD_PROFILING_POLICY_H_
#define GECKOPROF_GECKOPROFILER_THREAD_PROFILING_POLICY_H_

#include <cstdint>

#include "geckoprof/config/start_features.h"
#include "geckoprof/config/thread_filter.h"
#include "geckoprofiler/thread_profiling_features.h"

namespace geckoprof {

// The features that ask for something of threads which the filters do not select. (That for their markers is in
// start_features.h.)
inline constexpr uint32_t kFeatureCpuAllThreads = 1u << 16;
inline constexpr uint32_t kFeatureSamplingAllThreads = 1u << 17;

// ThreadProfilingPolicy: what a recording wants of which thread. A plain value.
struct ThreadProfilingPolicy {
  ThreadFilter filter;
  uint32_t features = 0;  // profiler feature bits; only the two above count

  // Everything for a thread that is selected, else its markers, and what is asked of all threads. The main thread is
  // selected by its other names, too (ThreadFilter).
  [[gnu::visibility("default")]] ThreadProfilingFeatures FeaturesFor(const char* thread_name,
                                                                     bool is_main = false) const;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREAD_PROFILING_POLICY_H_
