#ifndef GECKOPROF_BASEPROFILER_AUTO_PROFILER_COUNT_H_
#define GECKOPROF_BASEPROFILER_AUTO_PROFILER_COUNT_H_

#include <cstdint>

namespace geckoprof {

// AutoProfilerCount adds to a counter while it lives. It counts operations that are under way.
template <typename Counter>
class AutoProfilerCount {
 public:
  AutoProfilerCount(Counter& counter, int64_t count) : counter_(counter), count_(count) { counter_.Add(count_); }
  ~AutoProfilerCount() { counter_.Add(-count_); }
  AutoProfilerCount(const AutoProfilerCount&) = delete;
  AutoProfilerCount& operator=(const AutoProfilerCount&) = delete;

 private:
  Counter& counter_;
  const int64_t count_;
};

template <typename Counter>
AutoProfilerCount(Counter&, int64_t) -> AutoProfilerCount<Counter>;

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_AUTO_PROFILER_COUNT_H_
