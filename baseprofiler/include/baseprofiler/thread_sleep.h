// The times in which a thread is awake, for programs that have base alone. The full library has the same functions in
// the global namespace, for threads that are registered (geckoprofiler/profiler_threads.h).
//
//   thread:   profiler_thread_sleep() ......... profiler_thread_wake() ....... profiler_thread_sleep()
//   markers:                                    Awake begins: CPU Id 3,        Awake ends: CPU Time 1.25 ms
//                                               OS priority 0
//
//   for (;;) {
//     {
//       AUTO_BASE_PROFILER_THREAD_SLEEP;
//       queue.Wait();
//     }
//     ...
//   }
//
// The functions concern the calling thread. The CPU time is what it used since its last sleep. It is missing in the
// first marker of a recording. The priority is the nice value, from -20 to 19. Sleeping does not nest. While nothing is
// recorded, a call costs a load and a branch.
//
// Threads: any. Context: not signal context.
#ifndef GECKOPROF_BASEPROFILER_THREAD_SLEEP_H_
#define GECKOPROF_BASEPROFILER_THREAD_SLEEP_H_

#include "baseprofiler/markers.h"

#if GECKOPROF_IS_ENABLED_
#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include <cstdint>
#include <optional>
#endif

namespace geckoprof::baseprofiler {

#if GECKOPROF_IS_ENABLED_

namespace internal {

inline thread_local int64_t cpu_ns_at_sleep = -1;  // -1: the last sleep has no marker

}  // namespace internal

inline void profiler_thread_sleep() {
  if (geckoprof_base_wants_markers() == 0) {
    internal::cpu_ns_at_sleep = -1;
    return;
  }
  timespec cpu = {};
  const bool is_known = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu) == 0;
  const int64_t cpu_ns = is_known ? int64_t{cpu.tv_sec} * 1'000'000'000 + cpu.tv_nsec : -1;
  std::optional<TimeDuration> used;
  if (is_known && internal::cpu_ns_at_sleep >= 0)
    used = TimeDuration::FromNanoseconds(cpu_ns - internal::cpu_ns_at_sleep);
  internal::cpu_ns_at_sleep = cpu_ns;
  PROFILER_MARKER("Awake", OTHER, MarkerTiming::IntervalEnd(), ::geckoprof::markers::Awake, used,
                  std::optional<int64_t>(), std::optional<int64_t>());
}

inline void profiler_thread_wake() {
  if (geckoprof_base_wants_markers() == 0) return;
  const int error = errno;
  errno = 0;
  const int nice = getpriority(PRIO_PROCESS, 0);
  const std::optional<int64_t> priority = errno == 0 ? std::optional<int64_t>(nice) : std::nullopt;
  const int cpu = sched_getcpu();
  errno = error;
  PROFILER_MARKER("Awake", OTHER, MarkerTiming::IntervalStart(), ::geckoprof::markers::Awake,
                  std::optional<TimeDuration>(), cpu >= 0 ? std::optional<int64_t>(cpu) : std::nullopt, priority);
}

#else

inline void profiler_thread_sleep() {}
inline void profiler_thread_wake() {}

#endif  // GECKOPROF_IS_ENABLED_

// The thread sleeps to the end of the scope.
class ThreadSleepScope {
 public:
  ThreadSleepScope() { profiler_thread_sleep(); }
  ~ThreadSleepScope() { profiler_thread_wake(); }
  ThreadSleepScope(const ThreadSleepScope&) = delete;
  ThreadSleepScope& operator=(const ThreadSleepScope&) = delete;
};

}  // namespace geckoprof::baseprofiler

#define AUTO_BASE_PROFILER_THREAD_SLEEP \
  const ::geckoprof::baseprofiler::ThreadSleepScope GECKOPROF_CONCAT_(geckoprof_sleep_, __COUNTER__)

#endif  // GECKOPROF_BASEPROFILER_THREAD_SLEEP_H_
