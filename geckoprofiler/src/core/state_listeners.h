#ifndef GECKOPROF_GECKOPROFILER_CORE_STATE_LISTENERS_H_
#define GECKOPROF_GECKOPROFILER_CORE_STATE_LISTENERS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "geckoprof/base/recursive_lock.h"
#include "geckoprofiler/profiler_values.h"
#include "runtime/fork_holds.h"

namespace geckoprof {

using StateCallback = std::function<void(ProfilingState)>;

// StateListeners: the program's functions that want to hear of changes of state.
//
// Invariants: none is called with a lock of ours held, so that it may do anything, add and remove included; after
// Remove returned on a thread that is in no such function, the removed one is not running and never will again. (In
// one, Remove does not wait: two functions that remove each other would wait for ever.) A function that causes the
// very change that its thread is telling of is not told of it again, and nor is any other: it would have no end.
// Threads: any. Context: not signal context. Fork: by any thread, also in a handler that interrupted one of these
// functions: such a thread goes on in the middle of it, in the child too.
class StateListeners {
 public:
  // `is_active`: it hears AlreadyActive at once.
  void Add(ProfilingStateSet states, StateCallback callback, uintptr_t unique_id, bool is_active);
  // Those of this id hear RemovingCallback and are removed. False if there are none, or it is 0.
  bool Remove(uintptr_t unique_id);
  void Notify(ProfilingState state);
  bool IsEmpty();

  bool BeforeFork() { return ForkHolds::TryFor(lock_); }
  // `held`: what BeforeFork returned. If not, the child begins with none: who held the lock is not in it.
  void AfterFork(bool in_child, bool held);

 private:
  struct Listener {
    ProfilingStateSet states;
    StateCallback callback;
    uintptr_t unique_id;
    uint32_t running = 0;     // calls under way; guarded by lock_
    bool is_removed = false;  // guarded by lock_
  };
  using Listeners = std::vector<std::shared_ptr<Listener>>;

  // Listeners that this thread is about to call, or in the middle of calling: in the child of a fork it goes on. Each
  // but the first `done` of them counts as running; changed with lock_ held.
  struct OwnCalls {
    explicit OwnCalls(const StateListeners* of);
    ~OwnCalls();
    OwnCalls(const OwnCalls&) = delete;
    OwnCalls& operator=(const OwnCalls&) = delete;

    const StateListeners* const of;
    const void* const outer;  // of the same thread
    Listeners listeners = {};
    size_t done = 0;
  };

  void AwaitIdle(const Listeners& listeners);
  void Call(OwnCalls& calls, ProfilingState state);

  RecursiveLock lock_;
  Listeners listeners_;                  // guarded by lock_; in the order in which they were added
  std::atomic<uint32_t> calls_done_{0};  // grows, under lock_, with each call that somebody may wait for
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CORE_STATE_LISTENERS_H_
