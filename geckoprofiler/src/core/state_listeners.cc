#include "core/state_listeners.h"

#include <algorithm>
#include <utility>

namespace geckoprof {
namespace {

thread_local int t_calls = 0;  // of listeners that are under way on this thread

}  // namespace

void StateListeners::Add(ProfilingStateSet states, ProfilingStateChangeCallback callback, uintptr_t unique_id,
                         bool is_active) {
  auto listener = std::make_shared<Listener>();
  listener->states = states;
  listener->callback = std::move(callback);
  listener->unique_id = unique_id;
  Listeners added{listener};
  {
    const std::lock_guard<std::mutex> holder(mutex_);
    listeners_.push_back(std::move(listener));
    if (is_active) ++added[0]->running;
  }
  if (is_active) Call(added, ProfilingState::AlreadyActive);
}

bool StateListeners::Remove(uintptr_t unique_id) {
  if (unique_id == 0) return false;
  Listeners removed;
  {
    const std::lock_guard<std::mutex> holder(mutex_);
    const auto first = std::stable_partition(listeners_.begin(), listeners_.end(),
                                             [&](const auto& listener) { return listener->unique_id != unique_id; });
    removed.assign(first, listeners_.end());
    listeners_.erase(first, listeners_.end());
    for (const auto& listener : removed) ++listener->running;
  }
  Call(removed, ProfilingState::RemovingCallback);
  if (t_calls == 0) {
    std::unique_lock<std::mutex> holder(mutex_);
    idle_.wait(holder, [&] {
      return std::all_of(removed.begin(), removed.end(), [](const auto& listener) { return listener->running == 0; });
    });
  }
  return !removed.empty();
}

void StateListeners::Notify(ProfilingState state) {
  Listeners called;
  {
    const std::lock_guard<std::mutex> holder(mutex_);
    for (const auto& listener : listeners_) {
      if (!listener->states.Contains(state)) continue;
      ++listener->running;
      called.push_back(listener);
    }
  }
  Call(called, state);
}

// REQUIRES: each counts as running.
void StateListeners::Call(const Listeners& listeners, ProfilingState state) {
  for (const auto& listener : listeners) {
    ++t_calls;
    if (listener->states.Contains(state)) listener->callback(state);
    --t_calls;
    const std::lock_guard<std::mutex> holder(mutex_);
    if (--listener->running == 0) idle_.notify_all();
  }
}

void StateListeners::AfterFork(bool in_child) {
  if (in_child) {
    for (const auto& listener : listeners_) listener->running = 0;  // those of threads that are not in this process
  }
  mutex_.unlock();
}

}  // namespace geckoprof
