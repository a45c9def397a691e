// Saying that a thread sleeps, so that its samples need not be taken again and again; and its times awake, as markers.
//
//   thread:  profiler_thread_sleep() ......... profiler_thread_wake() ....... profiler_thread_sleep()
//   markers:                                   Awake begins: "CPU 3"          Awake ends: "CPU time 1.250 ms"
//
// All of it is for the calling thread, whichever that is, and does nothing if it is not registered. The state is kept
// whether the profiler is active or not; markers are made while it is active and the thread is profiled for them.
// Sleeping does not nest. Context: not signal context.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_THREAD_SLEEP_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_THREAD_SLEEP_H_

#include "geckoprofiler/profiler_thread_registration.h"

#pragma GCC visibility push(default)

void profiler_thread_sleep();
void profiler_thread_wake();
bool profiler_thread_is_sleeping();

// The markers alone: for a thread that is out of work but must be sampled.
void profiler_mark_thread_asleep();
void profiler_mark_thread_awake();

#pragma GCC visibility pop

namespace geckoprof {

class ProfilerThreadSleepScope {
 public:
  ProfilerThreadSleepScope() { profiler_thread_sleep(); }
  ~ProfilerThreadSleepScope() { profiler_thread_wake(); }
  ProfilerThreadSleepScope(const ProfilerThreadSleepScope&) = delete;
  ProfilerThreadSleepScope& operator=(const ProfilerThreadSleepScope&) = delete;
};

// For a call back into the program from the middle of a sleep: awake meanwhile, if the thread was asleep.
class ProfilerThreadWakeScope {
 public:
  ProfilerThreadWakeScope() : was_sleeping_(profiler_thread_is_sleeping()) {
    if (was_sleeping_) profiler_thread_wake();
  }
  ~ProfilerThreadWakeScope() {
    if (was_sleeping_) profiler_thread_sleep();
  }
  ProfilerThreadWakeScope(const ProfilerThreadWakeScope&) = delete;
  ProfilerThreadWakeScope& operator=(const ProfilerThreadWakeScope&) = delete;

 private:
  const bool was_sleeping_;
};

}  // namespace geckoprof

#define AUTO_PROFILER_THREAD_SLEEP \
  const ::geckoprof::ProfilerThreadSleepScope GECKOPROF_THREAD_JOIN(profiler_sleep_, __LINE__)
#define AUTO_PROFILER_THREAD_WAKE \
  const ::geckoprof::ProfilerThreadWakeScope GECKOPROF_THREAD_JOIN(profiler_wake_, __LINE__)

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_THREAD_SLEEP_H_
