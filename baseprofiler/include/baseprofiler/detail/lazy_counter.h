// What the classes of counters are made of.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_LAZY_COUNTER_H_
#define GECKOPROF_BASEPROFILER_DETAIL_LAZY_COUNTER_H_

#include <cstdint>

#include "baseprofiler/c/geckoprof_functions.h"
#include "baseprofiler/counter_abi.h"

namespace geckoprof {

// kByCategory: the value for "Memory", else the rate of change, as the viewer draws counters that say nothing.
enum class CounterGraph : uint8_t { kByCategory, kRate, kAccumulated };

// How a counter is shown. Names of units and colours: geckoprof_counter_description.
struct CounterDisplay {
  const char* unit = "";
  const char* color = nullptr;
  CounterGraph graph = CounterGraph::kByCategory;
};

namespace internal {

#if GECKOPROF_IS_ENABLED_

// LazyCounter: a counter that is made when it is first used, by one thread, whoever else uses it then.
//
//   handle: null --first use--> made, or kNone (refused, or this object's life is over)
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

  // Null if there is none.
  geckoprof_counter* Handle() {
    geckoprof_counter* const handle = __atomic_load_n(&handle_, __ATOMIC_ACQUIRE);
    if (__builtin_expect(handle == nullptr || handle == None(), 0)) return handle == nullptr ? Make() : nullptr;
    return handle;
  }

 private:
  // Not a counter's address.
  static geckoprof_counter* None() { return reinterpret_cast<geckoprof_counter*>(alignof(geckoprof_counter)); }

  __attribute__((noinline, cold)) geckoprof_counter* Make() {
    if (!geckoprof_base_is_here()) return nullptr;  // it may come yet
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
    if (handle == nullptr) {  // refused: not to be asked for at each use
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

// LazyCounter: no counter.
class LazyCounter {
 public:
  constexpr LazyCounter(const char*, const char*, const char*, const CounterDisplay&, bool) {}
  LazyCounter(const LazyCounter&) = delete;
  LazyCounter& operator=(const LazyCounter&) = delete;
  geckoprof_counter* Handle() { return nullptr; }
};

#endif

}  // namespace internal

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_DETAIL_LAZY_COUNTER_H_
