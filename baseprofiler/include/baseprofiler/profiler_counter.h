// The classes of counters. counters.h has an example.
#ifndef GECKOPROF_BASEPROFILER_PROFILER_COUNTER_H_
#define GECKOPROF_BASEPROFILER_PROFILER_COUNTER_H_

#include <cstdint>
#include <type_traits>

#include "baseprofiler/c/geckoprof_functions.h"
#include "baseprofiler/counter_abi.h"
#include "baseprofiler/detail/language.h"
#include "baseprofiler/enabled.h"

namespace geckoprof {

// kByCategory is the default of the viewer. It draws the value for the category "Memory", and the rate of change for
// others.
enum class CounterGraph : uint8_t { kByCategory, kRate, kAccumulated };

// How the viewer shows a counter. geckoprof_counter_description has the names of units and colours.
struct CounterDisplay {
  const char* unit = "";
  const char* color = nullptr;
  CounterGraph graph = CounterGraph::kByCategory;
};

namespace internal {

#if GECKOPROF_IS_ENABLED_

// LazyCounter is a counter that the first use makes. If several threads use it first, one of them makes it.
//
//   handle: null --first use--> made, or None() (refused, or this object was destroyed)
//
// Texts must live as long as the object. Threads: any.
class LazyCounter {
 public:
  constexpr LazyCounter(const char* name, const char* category, const char* description, const CounterDisplay& display,
                        bool has_number)
      : name_(name), category_(category), description_(description), display_(display), has_number_(has_number) {}
  LazyCounter(const LazyCounter&) = delete;
  LazyCounter& operator=(const LazyCounter&) = delete;
  ~LazyCounter() {
    geckoprof_counter* const handle = __atomic_exchange_n(&handle_, None(), __ATOMIC_ACQ_REL);
    if (handle != nullptr && handle != None()) geckoprof_base_counter_destroy(handle);
  }

  // Returns null if there is no counter.
  geckoprof_counter* Handle() {
    geckoprof_counter* const handle = __atomic_load_n(&handle_, __ATOMIC_ACQUIRE);
    if (__builtin_expect(handle == nullptr || handle == None(), 0)) return handle == nullptr ? Make() : nullptr;
    return handle;
  }

 private:
  // Returns an address that no counter has.
  static geckoprof_counter* None() { return reinterpret_cast<geckoprof_counter*>(alignof(geckoprof_counter)); }

  __attribute__((noinline, cold)) geckoprof_counter* Make() {
    if (!geckoprof_base_is_here()) return nullptr;  // The library may still be loaded.
    const uint32_t graph = display_.graph == CounterGraph::kRate          ? GECKOPROF_COUNTER_RATE
                           : display_.graph == CounterGraph::kAccumulated ? GECKOPROF_COUNTER_ACCUMULATED
                                                                          : 0;
    const geckoprof_counter_description description = {sizeof description,
                                                       graph | (has_number_ ? GECKOPROF_COUNTER_HAS_NUMBER : 0),
                                                       name_,
                                                       category_,
                                                       description_,
                                                       display_.unit,
                                                       display_.color};
    geckoprof_counter* handle = geckoprof_base_counter_create_once(&handle_, &description);
    if (handle == nullptr) {  // The library refused it, and is not asked again.
      __atomic_compare_exchange_n(&handle_, &handle, None(), false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    }
    return handle == None() ? nullptr : handle;
  }

  geckoprof_counter* handle_ = nullptr;
  const char* const name_;
  const char* const category_;
  const char* const description_;
  const CounterDisplay display_;
  const bool has_number_;
};

#else

// LazyCounter is no counter.
class LazyCounter {
 public:
  constexpr LazyCounter(const char*, const char*, const char*, const CounterDisplay&, bool) {}
  LazyCounter(const LazyCounter&) = delete;
  LazyCounter& operator=(const LazyCounter&) = delete;
  geckoprof_counter* Handle() { return nullptr; }
};

#endif

template <typename Count>
constexpr int64_t ToCount(Count count) {
  static_assert(!std::is_floating_point_v<Count>,
                "a counter counts whole numbers: choose a smaller unit, as bytes or microseconds");
  return static_cast<int64_t>(count);
}

// The common base of the two classes below. `kCountsCalls`: the number of calls is recorded, too.
template <bool kCountsCalls>
class ProgramCounter {
 public:
  constexpr ProgramCounter(const char* name, const char* category, const char* description,
                           const CounterDisplay& display = {})
      : counter_(name, category, description, display, kCountsCalls) {}

  template <typename Count>
  void Add(Count count) {
    if constexpr (kCountsCalls) {
      geckoprof_base_counter_add(counter_.Handle(), ToCount(count));
    } else {
      geckoprof_base_counter_add_amount(counter_.Handle(), ToCount(count));
    }
  }
  template <typename Value>
  void Set(Value value) {
    geckoprof_base_counter_set(counter_.Handle(), ToCount(value));
  }
  ProgramCounter& operator++() {
    Add(1);
    return *this;
  }
  template <typename Count>
  ProgramCounter& operator+=(Count count) {
    Add(count);
    return *this;
  }

 private:
  LazyCounter counter_;
};

}  // namespace internal

// ProfilerCounter is a number that the program changes.
class ProfilerCounter : public internal::ProgramCounter<false> {
 public:
  using ProgramCounter::ProgramCounter;
};

// ProfilerCounterTotal also counts how often the program changes it.
class ProfilerCounterTotal : public internal::ProgramCounter<true> {
 public:
  using ProgramCounter::ProgramCounter;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROFILER_COUNTER_H_
