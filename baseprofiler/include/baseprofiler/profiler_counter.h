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

// What the two below have in common. `kCountsCalls`: how often it was called to is kept, too.
template <bool kCountsCalls>
class CounterOfProgram {
 public:
  constexpr CounterOfProgram(const char* name, const char* category, const char* description,
                             const CounterDisplay& display = {})
      : counter_(name, category, description, display, kCountsCalls) {}

  template <typename Count>
  void Add(Count count) {
    if constexpr (kCountsCalls) {
      geckoprof_base_counter_add(counter_.Handle(), CountOf(count));
    } else {
      geckoprof_base_counter_add_amount(counter_.Handle(), CountOf(count));
    }
  }
  template <typename Value>
  void Set(Value value) {
    geckoprof_base_counter_set(counter_.Handle(), CountOf(value));
  }
  CounterOfProgram& operator++() {
    Add(1);
    return *this;
  }
  template <typename Count>
  CounterOfProgram& operator+=(Count count) {
    Add(count);
    return *this;
  }

 private:
  LazyCounter counter_;
};

}  // namespace internal

// ProfilerCounter: counts.
class ProfilerCounter : public internal::CounterOfProgram<false> {
 public:
  using CounterOfProgram::CounterOfProgram;
};

// ProfilerCounterTotal: counts, and how often it was called to.
class ProfilerCounterTotal : public internal::CounterOfProgram<true> {
 public:
  using CounterOfProgram::CounterOfProgram;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROFILER_COUNTER_H_
