// Counters are numbers of the program. The profiler reads them at each tick, and the viewer draws them as graphs. Names
// follow Firefox.
//
//   PROFILER_DEFINE_COUNT_TOTAL(cache, "Memory", "Bytes in the cache", {"bytes"});     at namespace scope
//   PROFILER_DEFINE_COUNT(requests, "Server", "Requests answered", {"", "purple"});
//
//   void Insert(size_t bytes) {
//     AUTO_PROFILER_COUNT_TOTAL(cache, bytes);                  adds, and counts the operation
//     ++profiler_count_requests;
//     AUTO_PROFILER_COUNT_IN_SCOPE(open_requests, 1);           adds now, and subtracts at the end of the scope
//   }
//
// The first use makes a counter, and no code runs before main. It appears in profiles from then on. An addition costs a
// load, a branch and one relaxed atomic addition (two with a number of operations), recorded or not. Counts have 64
// bits with a sign, and are made from any integer type. ~0ull therefore subtracts 1. Threads: any. Context: any, except
// that the first use may not be in a signal handler.
#ifndef GECKOPROF_BASEPROFILER_COUNTERS_H_
#define GECKOPROF_BASEPROFILER_COUNTERS_H_

#include <cstdint>

#include "baseprofiler/auto_profiler_count.h"
#include "baseprofiler/counter_abi.h"
#include "baseprofiler/detail/language.h"
#include "baseprofiler/enabled.h"
#include "baseprofiler/profiler_counter.h"

// `label` is an identifier, and the name of the counter. A category and a description follow. A CounterDisplay in
// braces may follow these, for example {"bytes"}, or {.unit = "bytes"} in C++20.
#define PROFILER_DEFINE_COUNT(label, category, ...) \
  GECKOPROF_CONSTINIT_ ::geckoprof::ProfilerCounter profiler_count_##label(#label, category, __VA_ARGS__)
#define PROFILER_DEFINE_COUNT_TOTAL(label, category, ...) \
  GECKOPROF_CONSTINIT_ ::geckoprof::ProfilerCounterTotal profiler_count_##label(#label, category, __VA_ARGS__)
#define PROFILER_DEFINE_STATIC_COUNT(label, category, ...) \
  [[maybe_unused]] static PROFILER_DEFINE_COUNT(label, category, __VA_ARGS__)
#define PROFILER_DEFINE_STATIC_COUNT_TOTAL(label, category, ...) \
  [[maybe_unused]] static PROFILER_DEFINE_COUNT_TOTAL(label, category, __VA_ARGS__)

// Declare a counter that another file defines.
#define PROFILER_DECLARE_COUNT(label) extern ::geckoprof::ProfilerCounter profiler_count_##label
#define PROFILER_DECLARE_COUNT_TOTAL(label) extern ::geckoprof::ProfilerCounterTotal profiler_count_##label

#if GECKOPROF_IS_ENABLED_

// AUTO_PROFILER_COUNT(label[, count]) adds `count`, or 1. The inner macro ignores the 1 if there is a count.
#define AUTO_PROFILER_COUNT(...) GECKOPROF_ADD_COUNT_(__VA_ARGS__, 1, )
#define GECKOPROF_ADD_COUNT_(label, count, ...) (profiler_count_##label).Add(::geckoprof::internal::ToCount(count))
#define AUTO_PROFILER_COUNT_IN_SCOPE(label, count) GECKOPROF_COUNT_IN_SCOPE_(__COUNTER__, label, count)
#define GECKOPROF_COUNT_IN_SCOPE_(number, label, count) GECKOPROF_NUMBERED_COUNT_IN_SCOPE_(number, label, count)
#define GECKOPROF_NUMBERED_COUNT_IN_SCOPE_(number, label, count)                                                  \
  enum class a_count_in_scope_needs_a_block_of_its_own_##number{};                                                \
  const ::geckoprof::AutoProfilerCount profiler_count_scope_##number(                                             \
      profiler_count_##label, ::geckoprof::internal::InBlock<a_count_in_scope_needs_a_block_of_its_own_##number>( \
                                  ::geckoprof::internal::ToCount(count)))

#else

#define AUTO_PROFILER_COUNT(...) GECKOPROF_NOTHING_
#define AUTO_PROFILER_COUNT_IN_SCOPE(label, count) GECKOPROF_NOTHING_

#endif  // GECKOPROF_IS_ENABLED_

#define AUTO_PROFILER_COUNT_TOTAL(label, count) AUTO_PROFILER_COUNT(label, count)
#define AUTO_PROFILER_STATIC_COUNT(...) AUTO_PROFILER_COUNT(__VA_ARGS__)

#define BASE_PROFILER_DEFINE_COUNT(label, category, ...) PROFILER_DEFINE_COUNT(label, category, __VA_ARGS__)
#define BASE_PROFILER_DEFINE_COUNT_TOTAL(label, category, ...) PROFILER_DEFINE_COUNT_TOTAL(label, category, __VA_ARGS__)
#define BASE_PROFILER_DEFINE_STATIC_COUNT(label, category, ...) \
  PROFILER_DEFINE_STATIC_COUNT(label, category, __VA_ARGS__)
#define BASE_PROFILER_DEFINE_STATIC_COUNT_TOTAL(label, category, ...) \
  PROFILER_DEFINE_STATIC_COUNT_TOTAL(label, category, __VA_ARGS__)
#define AUTO_BASE_PROFILER_COUNT(...) AUTO_PROFILER_COUNT(__VA_ARGS__)
#define AUTO_BASE_PROFILER_COUNT_TOTAL(label, count) AUTO_PROFILER_COUNT_TOTAL(label, count)
#define AUTO_BASE_PROFILER_STATIC_COUNT(...) AUTO_PROFILER_STATIC_COUNT(__VA_ARGS__)
#define AUTO_BASE_PROFILER_COUNT_IN_SCOPE(label, count) AUTO_PROFILER_COUNT_IN_SCOPE(label, count)

#endif  // GECKOPROF_BASEPROFILER_COUNTERS_H_
