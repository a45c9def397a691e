#include "core/state_listeners.h"

#include <algorithm>
#include <new>
#include <utility>

#include "geckoprof/base/futex.h"
#include "runtime/api_call.h"

namespace geckoprof {
namespace {

// The states that this thread is reporting to listeners.
[[gnu::tls_model("initial-exec")]] constinit thread_local uint32_t t_notified_states = 0;

// The innermost of this thread's OwnCalls.
[[gnu::tls_model("initial-exec")]] constinit thread_local const void* t_calls = nullptr;

class NotificationScope {
 public:
  explicit NotificationScope(ProfilingState state) : before_(t_notified_states) {
    t_notified_states |= static_cast<uint32_t>(state);
  }
  ~NotificationScope() { t_notified_states = before_; }
  NotificationScope(const NotificationScope&) = delete;
  NotificationScope& operator=(const NotificationScope&) = delete;

 private:
  const uint32_t before_;
};

}  // namespace

StateListeners::OwnCalls::OwnCalls(const StateListeners* listeners_of) : of(listeners_of), outer(t_calls) {
  t_calls = this;
}
StateListeners::OwnCalls::~OwnCalls() { t_calls = outer; }

void StateListeners::Add(ProfilingStateSet states, StateCallback callback, uintptr_t unique_id, bool is_active) {
  auto listener = std::make_shared<Listener>();
  listener->states = states;
  listener->callback = std::move(callback);
  listener->unique_id = unique_id;
  OwnCalls added(this);
  added.listeners.reserve(1);
  {
    const ForkHolds::Holder holder(lock_);
    listeners_.push_back(listener);
    if (is_active) {
      ++listener->running;
      added.listeners.push_back(std::move(listener));
    }
  }
  Call(added, ProfilingState::AlreadyActive);
}

bool StateListeners::Remove(uintptr_t unique_id) {
  if (unique_id == 0) return false;
  OwnCalls calls(this);
  Listeners& removed = calls.listeners;
  {
    const ForkHolds::Holder holder(lock_);
    const auto first = std::stable_partition(listeners_.begin(), listeners_.end(),
                                             [&](const auto& listener) { return listener->unique_id != unique_id; });
    removed.assign(first, listeners_.end());
    listeners_.erase(first, listeners_.end());
    for (const auto& listener : removed) {
      listener->is_removed = true;
      ++listener->running;
    }
  }
  Call(calls, ProfilingState::RemovingCallback);
  if (t_notified_states == 0) AwaitIdle(removed);
  return !removed.empty();
}

void StateListeners::AwaitIdle(const Listeners& listeners) {
  for (;;) {
    uint32_t seen;
    {
      const ForkHolds::Holder holder(lock_);
      seen = calls_done_.load(std::memory_order_relaxed);
      if (std::all_of(listeners.begin(), listeners.end(), [](const auto& one) { return one->running == 0; })) return;
    }
    FutexWait(calls_done_, seen, -1);
  }
}

bool StateListeners::IsEmpty() {
  const ForkHolds::Holder holder(lock_);
  return listeners_.empty();
}

void StateListeners::Notify(ProfilingState state) {
  if ((t_notified_states & static_cast<uint32_t>(state)) != 0) return;
  OwnCalls calls(this);
  {
    const ForkHolds::Holder holder(lock_);
    calls.listeners.reserve(listeners_.size());  // memory runs out before anything counts as running
    for (const auto& listener : listeners_) {
      if (!listener->states.Contains(state)) continue;
      ++listener->running;
      calls.listeners.push_back(listener);
    }
  }
  Call(calls, state);
}

// REQUIRES: each listener counts as running.
void StateListeners::Call(OwnCalls& calls, ProfilingState state) {
  const NotificationScope scope(state);
  for (const auto& listener : calls.listeners) {
    bool is_wanted = listener->states.Contains(state);
    if (is_wanted && state != ProfilingState::RemovingCallback) {
      // A listener that was called earlier may have removed it.
      const ForkHolds::Holder holder(lock_);
      is_wanted = !listener->is_removed;
    }
    if (is_wanted) {
      const ApiCall::Outside outside;
      listener->callback(state);
    }
    const ForkHolds::Holder holder(lock_);
    ++calls.done;
    if (--listener->running != 0) continue;
    calls_done_.fetch_add(1, std::memory_order_relaxed);
    FutexWake(calls_done_, INT32_MAX);
  }
}

void StateListeners::AfterFork(bool in_child, bool held) {
  if (in_child) {
    lock_.AdoptInForkedChild(ForkHolds::parent_thread());
    if (!held) new (&listeners_) Listeners;
    // Calls of threads that are not in this process do not count. The counts stay if this thread is in the middle of a
    // change of the list.
    if (lock_.depth() == 1) {
      for (const auto& listener : listeners_) listener->running = 0;
      for (auto* calls = static_cast<const OwnCalls*>(t_calls); calls != nullptr;
           calls = static_cast<const OwnCalls*>(calls->outer)) {
        if (calls->of != this) continue;
        for (size_t i = 0; i < calls->listeners.size(); ++i) calls->listeners[i]->running = 0;
      }
      for (auto* calls = static_cast<const OwnCalls*>(t_calls); calls != nullptr;
           calls = static_cast<const OwnCalls*>(calls->outer)) {
        if (calls->of != this) continue;
        for (size_t i = calls->done; i < calls->listeners.size(); ++i) ++calls->listeners[i]->running;
      }
    }
  }
  if (held) lock_.Unlock();
}

}  // namespace geckoprof
