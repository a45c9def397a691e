#ifndef GECKOPROF_GECKOPROFILER_THREAD_PROFILING_FEATURES_H_
#define GECKOPROF_GECKOPROFILER_THREAD_PROFILING_FEATURES_H_

#include <cstdint>

namespace geckoprof {

// What is recorded of one thread; a set. A thread that the filters select has all, another one its markers, which
// every thread has, and what the *allthreads features ask for (ThreadProfilingPolicy).
enum class ThreadProfilingFeatures : uint32_t {
  NotProfiled = 0,
  CPUUtilization = 1,
  Sampling = 2,
  Markers = 4,
  Any = 7,
};

constexpr ThreadProfilingFeatures Combine(ThreadProfilingFeatures a, ThreadProfilingFeatures b) {
  return static_cast<ThreadProfilingFeatures>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}
template <typename... More>
constexpr ThreadProfilingFeatures Combine(ThreadProfilingFeatures a, ThreadProfilingFeatures b, More... more) {
  return Combine(Combine(a, b), more...);
}

constexpr ThreadProfilingFeatures Intersect(ThreadProfilingFeatures a, ThreadProfilingFeatures b) {
  return static_cast<ThreadProfilingFeatures>(static_cast<uint32_t>(a) & static_cast<uint32_t>(b));
}
template <typename... More>
constexpr ThreadProfilingFeatures Intersect(ThreadProfilingFeatures a, ThreadProfilingFeatures b, More... more) {
  return Intersect(Intersect(a, b), more...);
}

constexpr bool DoFeaturesIntersect(ThreadProfilingFeatures a, ThreadProfilingFeatures b) {
  return Intersect(a, b) != ThreadProfilingFeatures::NotProfiled;
}

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREAD_PROFILING_FEATURES_H_
