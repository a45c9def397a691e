// The classes of counters: counters.h has an example.
#ifndef GECKOPROF_BASEPROFILER_PROFILER_COUNTER_H_
#define GECKOPROF_BASEPROFILER_PROFILER_COUNTER_H_

#include <cstdint>
#include <type_traits>

#include "baseprofiler/detail/lazy_counter.h"

namespace geckoprof {

namespace internal {

template <typename Count>
constexpr int64_t CountOf(Count count) {
  static_assert(!std::is_floating_point_v<Count>,
                "a counter counts whole numbers: choose a smaller unit, as bytes or microseconds");
  return static_cast<int64_t>(count);
}

}  // namespace internal

// ProfilerCounter: counts.
class ProfilerCounter {
 public:
  constexpr ProfilerCounter(const char* name, const char* category, const char* description,
                            const CounterDisplay& display = {})
      : counter_(name, category, description, display, false) {}

  template <typename Count>
  void Add(Count count) {
    geckoprof_base_counter_add_amount(counter_.Handle(), internal::CountOf(count));
  }
  template <typename Value>
  void Set(Value value) {
    geckoprof_base_counter_set(counter_.Handle(), internal::CountOf(value));
  }
  ProfilerCounter& operator++() {
    Add(1);
    return *this;
  }
  template <typename Count>
  ProfilerCounter& operator+=(Count count) {
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

  template <typename Count>
  void Add(Count count) {
    geckoprof_base_counter_add(counter_.Handle(), internal::CountOf(count));
  }
  template <typename Value>
  void Set(Value value) {
    geckoprof_base_counter_set(counter_.Handle(), internal::CountOf(value));
  }
  ProfilerCounterTotal& operator++() {
    Add(1);
    return *this;
  }
  template <typename Count>
  ProfilerCounterTotal& operator+=(Count count) {
    Add(count);
    return *this;
  }

 private:
  internal::LazyCounter counter_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROFILER_COUNTER_H_
