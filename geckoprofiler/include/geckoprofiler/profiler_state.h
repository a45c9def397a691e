// What the profiler does now, and being told of it.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_STATE_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_STATE_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "geckoprofiler/profiling_state_set.h"

#pragma GCC visibility push(default)

// A call and a few relaxed loads each.
bool profiler_is_active();
bool profiler_is_active_and_unpaused();
bool profiler_is_paused();
bool profiler_is_sampling_paused();  // also if everything is paused

// Those that are on, not those that were asked for. Features and states are words of their own: every bit is a
// feature's.
bool profiler_feature_active(uint32_t feature);
bool profiler_active_without_feature(uint32_t feature);
std::optional<uint32_t> profiler_features_if_active();
std::optional<uint32_t> profiler_features_if_active_and_unpaused();

// ms on the time line of the process's profiles: since it began, or, where base was loaded later, by dlopen, since
// then. 0 if that is not known yet and there is no memory to
// find it out.
double profiler_time();

// `callback` is called on the thread that changes the state, without any lock of the profiler's: it may call all of
// this API, but must not throw; a change that it makes while its thread tells of the same is told to nobody. Pausing,
// Stopping, GeneratingProfile and ShuttingDown come before the change. What base's API changed, and that a recording
// ended by itself (its duration is over: Stopping), is told right after it, on a thread of the profiler's own, once the
// recording is this library's (profiler_init). Two threads that change the state at a time may be reported in either
// order. `unique_id`: for profiler_remove_state_change_callback; 0: it stays. False: an empty callback, no memory, or
// called in a signal handler that interrupted this library.
using ProfilingStateChangeCallback = std::function<void(ProfilingState)>;
bool profiler_add_state_change_callback(ProfilingStateSet states, ProfilingStateChangeCallback callback,
                                        uintptr_t unique_id = 0);

// After it no call is under way on another thread, unless it is called from a state callback itself. False if there is
// none of that id, or no memory: then it stays.
bool profiler_remove_state_change_callback(uintptr_t unique_id);

enum class SamplingState : uint8_t {
  JustStopped,  // the recording ended, or was handed back, before the next tick
  SamplingPaused,
  NoStackSamplingCompleted,  // the tick sampled, but no stacks
  SamplingCompleted,
};

// Calls `callback` once, after the next tick that begins from now on, on a thread of the profiler's own, in the order
// of the calls here; what waits when the recording is handed back is called with JustStopped. False: it never will be,
// because nothing is recorded, or there is no memory or thread for it.
using PostSamplingCallback = std::function<void(SamplingState)>;
// profiler_shutdown waits until callbacks that were added have been called: a callback must not wait for a thread that
// calls it, or for a lock that such a thread holds. It must return: an exception ends the program, and pthread_exit the
// thread that would call the others.
bool profiler_callback_after_sampling(PostSamplingCallback callback);

#pragma GCC visibility pop

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_STATE_H_
