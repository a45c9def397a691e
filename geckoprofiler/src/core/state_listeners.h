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

// StateListeners: the program's callbacks for changes of state.
//
// Invariants: no callback is called with a lock of this library held, so it may do anything, add and remove included.
// After Remove returned on a thread that is in no callback, the removed callback is not running and never will run
// again. Inside a callback Remove does not wait, because two callbacks that remove each other would wait for ever. If a
// callback causes the same change that its thread is reporting, no callback hears of it.
//
// Threads: any.
// Context: not signal context.
// Fork: any thread may fork, also in a handler that interrupted one of these functions. The thread then goes on in the
// middle of that function, in the child too.
class StateListeners {
 public:
  // If `is_active` is true, the listener hears AlreadyActive at once.
  void Add(ProfilingStateSet states, StateCallback callback, uintptr_t unique_id, bool is_active);
  // The callbacks of this id hear RemovingCallback and are removed. Returns false if there are none, or if the id is 0.
  bool Remove(uintptr_t unique_id);
  void Notify(ProfilingState state);
  bool IsEmpty();

  bool BeforeFork() { return ForkHolds::TryLockFor(lock_); }
  // `held` is the result of BeforeFork. If it is false, the child begins with no listener, since the lock's holder is
  // not in it.
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

  // The listeners that this thread is calling or about to call. In the child of a fork the thread goes on with them.
  // All except the first `done` of them count as running. It is changed with lock_ held.
  struct OwnCalls {
    explicit OwnCalls(const StateListeners* of);
    ~OwnCalls();
    OwnCalls(const OwnCalls&) = delete;
    OwnCalls& operator=(const OwnCalls&) = delete;

    const StateListeners* const of;
    const void* const outer;  // the next outer calls of the same thread
    Listeners listeners = {};
    size_t done = 0;
  };

  void AwaitIdle(const Listeners& listeners);
  void Call(OwnCalls& calls, ProfilingState state);

  RecursiveLock lock_;
  Listeners listeners_;                  // guarded by lock_; in the order in which they were added
  std::atomic<uint32_t> calls_done_{0};  // grows, under lock_, with each call that a thread may wait for
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CORE_STATE_LISTENERS_H_
