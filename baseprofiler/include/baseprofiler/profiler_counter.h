// The classes of counters: counters.h has an example.
#ifndef GECKOPROF_BASEPROFILER_PROFILER_COUNTER_H_
#define GECKOPROF_BASEPROFILER_PROFILER_COUNTER_H_

#include <cstdint>

#include "baseprofiler/detail/lazy_counter.h"

namespace geckoprof {

// ProfilerCounter: counts.
class ProfilerCounter {
 public:
  constexpr ProfilerCounter(const char* name, const char* category, const char* description,
                            const CounterDisplay& display = {})
      : counter_(name, category, description, display, false) {}

  void Add(int64_t count) { geckoprof_base_counter_add_amount(counter_.Handle(), count); }
  void Set(int64_t value) { geckoprof_base_counter_set(counter_.Handle(), value); }
  ProfilerCounter& operator++() {
    Add(1);
    return *this;
  }
  ProfilerCounter& operator+=(int64_t count) {
    Add(count);
    return *this;
  }

 private:
  internal::LazyCounter counter_;
};

// ProfilerCounterTotal: counts, and how often it was called to.
class ProfilerCounterTotal {
 public:
  constexpr ProfilerCounterTotal(const char* name, const char* category, const char* description,
                                 const CounterDisplay& display = {})
      : counter_(name, category, description, display, true) {}

  void Add(int64_t count) { geckoprof_base_counter_add(counter_.Handle(), count); }
  void Set(int64_t value) { geckoprof_base_counter_set(counter_.Handle(), value); }
  ProfilerCounterTotal& operator++() {
    Add(1);
    return *this;
  }
  ProfilerCounterTotal& operator+=(int64_t count) {
    Add(count);
    return *this;
  }

 private:
  internal::LazyCounter counter_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROFILER_COUNTER_H_
