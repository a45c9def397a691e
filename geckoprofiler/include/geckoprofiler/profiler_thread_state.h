// Whether a thread is registered, and whether something is recorded of it just now.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_THREAD_STATE_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_THREAD_STATE_H_

#include "geckoprofiler/profiler_thread_ids.h"
#include "geckoprofiler/thread_profiling_features.h"

#pragma GCC visibility push(default)

// Paused counts as active here.
bool profiler_is_active_and_thread_is_registered();

// Whether the profiler is active and not paused (a pause of sampling alone does not count), and at least one of the
// features is recorded of the calling thread. Markers are, of every thread, registered or not, and whatever the filters
// leave out; the others are said of registered threads that the filters select. A few loads.
bool profiler_thread_is_being_profiled(geckoprof::ThreadProfilingFeatures features);
// The same of another thread of this process, by its id; unspecified: the calling thread.
bool profiler_thread_is_being_profiled(geckoprof::ProfilerThreadId tid, geckoprof::ThreadProfilingFeatures features);

#pragma GCC visibility pop

inline bool profiler_thread_is_being_profiled_for_markers() {
  return profiler_thread_is_being_profiled(geckoprof::ThreadProfilingFeatures::Markers);
}
inline bool profiler_thread_is_being_profiled_for_markers(geckoprof::ProfilerThreadId tid) {
  return profiler_thread_is_being_profiled(tid, geckoprof::ThreadProfilingFeatures::Markers);
}

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_THREAD_STATE_H_
