// Counters: numbers of the program's that are read at each tick and drawn as graphs. Names follow the original's.
//
//   PROFILER_DEFINE_COUNT_TOTAL(cache, "Memory", "Bytes in the cache", {.unit = "bytes"});     at namespace scope
//   PROFILER_DEFINE_COUNT(requests, "Server", "Requests answered", {.color = "purple"});
//
//   void Insert(size_t bytes) {
//     AUTO_PROFILER_COUNT_TOTAL(cache, bytes);                  adds, and counts the operation
//     ++profiler_count_requests;
//     AUTO_PROFILER_COUNT_IN_SCOPE(open_requests, 1);           added now, taken away at the scope's end
//   }
//
// A counter appears in profiles from its first use on, which makes it; nothing runs before main. Adding costs a load, a
// branch and one relaxed atomic addition (two with a number of operations), recorded or not. Counts are of any integer
// type, 64 bits with a sign: of an unsigned one, as additions go, ~0ull takes one away. Threads: any. Context: any but
// a signal handler for the first use.
#ifndef GECKOPROF_BASEPROFILER_COUNTERS_H_
#define GECKOPROF_BASEPROFILER_COUNTERS_H_

#include <cstdint>

#include "baseprofiler/auto_profiler_count.h"
#include "baseprofiler/counter_abi.h"
#include "baseprofiler/detail/in_block.h"
#include "baseprofiler/detail/language.h"
#include "baseprofiler/enabled.h"
#include "baseprofiler/profiler_counter.h"

namespace geckoprof::internal {

constexpr int64_t CountOf() { return 1; }

}  // namespace geckoprof::internal

// `label`: an identifier, which is also the counter's name. Then category and description, and, where the graph is not
// to be as usual, a CounterDisplay in braces.
#define PROFILER_DEFINE_COUNT(label, category, ...) \
  constinit ::geckoprof::ProfilerCounter profiler_count_##label(#label, category, __VA_ARGS__)
#define PROFILER_DEFINE_COUNT_TOTAL(label, category, ...) \
  constinit ::geckoprof::ProfilerCounterTotal profiler_count_##label(#label, category, __VA_ARGS__)
#define PROFILER_DEFINE_STATIC_COUNT(label, category, ...) \
  [[maybe_unused]] static PROFILER_DEFINE_COUNT(label, category, __VA_ARGS__)
#define PROFILER_DEFINE_STATIC_COUNT_TOTAL(label, category, ...) \
  [[maybe_unused]] static PROFILER_DEFINE_COUNT_TOTAL(label, category, __VA_ARGS__)

// Of a counter that another file defines.
#define PROFILER_DECLARE_COUNT(label) extern ::geckoprof::ProfilerCounter profiler_count_##label
#define PROFILER_DECLARE_COUNT_TOTAL(label) extern ::geckoprof::ProfilerCounterTotal profiler_count_##label

#if GECKOPROF_IS_ENABLED_

// AUTO_PROFILER_COUNT(label): 1.
#define AUTO_PROFILER_COUNT(label, ...) (profiler_count_##label).Add(::geckoprof::internal::CountOf(__VA_ARGS__))
#define AUTO_PROFILER_COUNT_IN_SCOPE(label, count) GECKOPROF_COUNT_IN_SCOPE_(__COUNTER__, label, count)
#define GECKOPROF_COUNT_IN_SCOPE_(number, label, count) GECKOPROF_NUMBERED_COUNT_IN_SCOPE_(number, label, count)
#define GECKOPROF_NUMBERED_COUNT_IN_SCOPE_(number, label, count)                                                  \
  enum class a_count_in_scope_needs_a_block_of_its_own_##number{};                                                \
  const ::geckoprof::AutoProfilerCount profiler_count_scope_##number(                                             \
      profiler_count_##label, ::geckoprof::internal::InBlock<a_count_in_scope_needs_a_block_of_its_own_##number>( \
                                  ::geckoprof::internal::CountOf(count)))

#else

#define AUTO_PROFILER_COUNT(...) GECKOPROF_NOTHING_
#define AUTO_PROFILER_COUNT_IN_SCOPE(label, count) GECKOPROF_NOTHING_

#endif  // GECKOPROF_IS_ENABLED_

#define AUTO_PROFILER_COUNT_TOTAL(label, count) AUTO_PROFILER_COUNT(label, count)
#define AUTO_PROFILER_STATIC_COUNT(label, ...) AUTO_PROFILER_COUNT(label __VA_OPT__(, ) __VA_ARGS__)

#define BASE_PROFILER_DEFINE_COUNT(label, category, ...) PROFILER_DEFINE_COUNT(label, category, __VA_ARGS__)
#define BASE_PROFILER_DEFINE_COUNT_TOTAL(label, category, ...) PROFILER_DEFINE_COUNT_TOTAL(label, category, __VA_ARGS__)
#define BASE_PROFILER_DEFINE_STATIC_COUNT(label, category, ...) \
  PROFILER_DEFINE_STATIC_COUNT(label, category, __VA_ARGS__)
#define BASE_PROFILER_DEFINE_STATIC_COUNT_TOTAL(label, category, ...) \
  PROFILER_DEFINE_STATIC_COUNT_TOTAL(label, category, __VA_ARGS__)
#define AUTO_BASE_PROFILER_COUNT(label, ...) AUTO_PROFILER_COUNT(label __VA_OPT__(, ) __VA_ARGS__)
#define AUTO_BASE_PROFILER_COUNT_TOTAL(label, count) AUTO_PROFILER_COUNT_TOTAL(label, count)
#define AUTO_BASE_PROFILER_STATIC_COUNT(label, ...) AUTO_PROFILER_STATIC_COUNT(label __VA_OPT__(, ) __VA_ARGS__)
#define AUTO_BASE_PROFILER_COUNT_IN_SCOPE(label, count) AUTO_PROFILER_COUNT_IN_SCOPE(label, count)

#endif  // GECKOPROF_BASEPROFILER_COUNTERS_H_
