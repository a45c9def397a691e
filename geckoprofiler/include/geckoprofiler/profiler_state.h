// The state of the profiler, and callbacks that are told of its changes.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_STATE_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_STATE_H_

#include <cstdint>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "geckoprofiler/profiler_result.h"
#include "geckoprofiler/profiler_values.h"

GECKOPROF_BEGIN_HIDDEN_

// A call and a few relaxed loads each.
inline bool profiler_is_active() { return (geckoprof_get_state() & GECKOPROF_STATE_ACTIVE) != 0; }
inline bool profiler_is_active_and_unpaused() {
  return (geckoprof_get_state() & (GECKOPROF_STATE_ACTIVE | GECKOPROF_STATE_PAUSED)) == GECKOPROF_STATE_ACTIVE;
}
inline bool profiler_is_paused() { return (geckoprof_get_state() & GECKOPROF_STATE_PAUSED) != 0; }
// True also if everything is paused.
inline bool profiler_is_sampling_paused() { return (geckoprof_get_state() & GECKOPROF_STATE_SAMPLING_PAUSED) != 0; }

// The features that are on, which may be fewer than were asked for. Features and states are words of their own: every
// bit is a feature's.
inline std::optional<uint32_t> profiler_features_if_active() {
  if (!profiler_is_active()) return std::nullopt;
  return geckoprof_get_features();
}
inline std::optional<uint32_t> profiler_features_if_active_and_unpaused() {
  if (!profiler_is_active_and_unpaused()) return std::nullopt;
  return geckoprof_get_features();
}
inline bool profiler_feature_active(uint32_t feature) {
  return (profiler_features_if_active().value_or(0) & feature) != 0;
}
inline bool profiler_active_without_feature(uint32_t feature) {
  const auto features = profiler_features_if_active();
  return features.has_value() && (*features & feature) == 0;
}

// ms on the time line of the process's profiles: since it began, or since base was loaded by dlopen. 0: that is not
// known yet, and there is no memory to find it out.
inline double profiler_time() { return geckoprof_get_time_ms(); }

namespace geckoprof {
namespace detail {

// A copy on the heap, or null if there is no memory or nothing to call.
template <typename Callback, typename Given>
Callback* OwnCallback(Given&& given) {
  Callback* owned = nullptr;
  if (IsEmptyCallback<Callback>(given)) return nullptr;
  (void)RunUnlessOutOfMemory([&] { owned = new (std::nothrow) Callback(std::forward<Given>(given)); });
  return owned;
}

}  // namespace detail
}  // namespace geckoprof

// `callback` is called with a ProfilingState, on the thread that changes the state, without any lock of the profiler's.
// It may call all of this API, but must not throw. A change that it makes while its thread tells of the same is told to
// no listener. Pausing, Stopping, GeneratingProfile and ShuttingDown come before the change.
//
// Two kinds of changes are told right after them, on a thread of the profiler's own, once this library owns the
// recording (profiler_init): what base's API changed, and that a recording ended by itself (Stopping). Two threads that
// change the state at a time may be reported in either order.
//
// `unique_id`: for profiler_remove_state_change_callback; 0: it stays. False: an empty callback, no memory, or called
// in a signal handler that interrupted this library.
template <typename Callback>
bool profiler_add_state_change_callback(ProfilingStateSet states, Callback&& callback, uintptr_t unique_id = 0) {
  using Owned = std::decay_t<Callback>;
  Owned* const owned = geckoprof::detail::OwnCallback<Owned>(std::forward<Callback>(callback));
  if (owned == nullptr) return false;
  const int status = geckoprof_add_keyed_state_callback(
      unique_id, states.bits(),
      [](void* user, uint32_t state) { (*static_cast<Owned*>(user))(static_cast<ProfilingState>(state)); }, owned,
      [](void* user) { delete static_cast<Owned*>(user); });
  return status == GECKOPROF_DONE;
}

// After it no call is under way on another thread, unless it is called from a state callback itself. False: there is no
// callback of that id, or no memory, and then it stays.
inline bool profiler_remove_state_change_callback(uintptr_t unique_id) {
  return geckoprof_remove_state_callback(unique_id) == GECKOPROF_DONE;
}

// Calls `callback` once with a SamplingState, after the next tick that begins from now on, on a thread of the
// profiler's own, in the order of the calls here. Callbacks that wait when the recording is handed back are called with
// JustStopped. False: it never will be called, because nothing is recorded, or there is no memory or thread for it.
//
// profiler_shutdown waits until callbacks that were added have been called. A callback must not wait for a thread that
// calls it, or for a lock that such a thread holds. It must return: an exception ends the program, and pthread_exit the
// thread that would call the others.
template <typename Callback>
bool profiler_callback_after_sampling(Callback&& callback) {
  using Owned = std::decay_t<Callback>;
  Owned* const owned = geckoprof::detail::OwnCallback<Owned>(std::forward<Callback>(callback));
  if (owned == nullptr) return false;
  const int status = geckoprof_call_after_sampling(
      [](void* user, uint32_t state) {
        (*static_cast<Owned*>(user))(static_cast<SamplingState>(state));
        delete static_cast<Owned*>(user);
      },
      owned);
  if (status != GECKOPROF_DONE) delete owned;
  return status == GECKOPROF_DONE;
}

GECKOPROF_END_VISIBILITY_

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_STATE_H_
