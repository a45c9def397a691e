#include "core/state_listeners.h"

#include <algorithm>
#include <utility>

#include "core/api_call.h"

namespace geckoprof {
namespace {

// The states of which this thread is telling listeners just now.
[[gnu::tls_model("initial-exec")]] constinit thread_local uint32_t t_tells = 0;

class Tells {
 public:
  explicit Tells(ProfilingState state) : before_(t_tells) { t_tells |= static_cast<uint32_t>(state); }
  ~Tells() { t_tells = before_; }
  Tells(const Tells&) = delete;
  Tells& operator=(const Tells&) = delete;

 private:
  const uint32_t before_;
};

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
  if (t_tells == 0) {
    std::unique_lock<std::mutex> holder(mutex_);
    idle_.wait(holder, [&] {
      return std::all_of(removed.begin(), removed.end(), [](const auto& listener) { return listener->running == 0; });
    });
  }
  return !removed.empty();
}

bool StateListeners::IsEmpty() {
  const std::lock_guard<std::mutex> holder(mutex_);
  return listeners_.empty();
}

void StateListeners::Notify(ProfilingState state) {
  if ((t_tells & static_cast<uint32_t>(state)) != 0) return;
  Listeners called;
  {
    const std::lock_guard<std::mutex> holder(mutex_);
    called.reserve(listeners_.size());  // memory runs out before anything counts as running
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
  const Tells tells(state);
  for (const auto& listener : listeners) {
    if (listener->states.Contains(state)) {
      const ApiCall::Outside outside;
      listener->callback(state);
    }
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
