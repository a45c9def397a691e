#ifndef GECKOPROF_GECKOPROFILER_RUNTIME_FORK_HOLDS_H_
#define GECKOPROF_GECKOPROFILER_RUNTIME_FORK_HOLDS_H_

#include <cstdint>

#include "geckoprof/base/recursive_lock.h"
#include "geckoprof/base/signals_blocked.h"

namespace geckoprof {

// ForkHolds: the locks that a forking thread holds from before the fork until after it, in both processes.
//
//   A: profiler_shutdown (base's lock) | handler: fork: base's lock once more | ours, for a while | fork
//   B: fork: waits for base's lock ................................................................ | ours | fork
//
// Base's lock comes first, because it is held for long and a handler that interrupts its holder may fork. The locks of
// this library are held for a few instructions, with signals blocked (Holder). If their holder comes to a fork all the
// same, the fork waits for at most kPatienceNs. If the fork did not get a lock, the state that it guards begins anew in
// the child. The holds are a stack of each thread, because a handler may fork while its thread is in the middle of
// another fork.
//
// Threads: any that libc knows.
// Context: signal context included.
class ForkHolds {
 public:
  static constexpr uint32_t kBase = 1, kControl = 2, kListeners = 4, kAfterSampling = 8, kUnwinder = 16,
                            kTickSources = 32;

  // Holds a lock that TryLockFor is used on. No handler of the program's interrupts the holder. Otherwise handlers that
  // fork again and again would make other threads wait for ever.
  class Holder {
   public:
    explicit Holder(RecursiveLock& lock) : holder_(lock) {}

   private:
    // libc's own two signals stay open. A thread that is created meanwhile would otherwise have them blocked for ever.
    const SignalsBlocked quiet_{kEverySignal & ~kSignalsOfLibc};
    const RecursiveLockHolder holder_;
  };

  // Returns false if the lock was not free in time.
  [[nodiscard]] static bool TryLockFor(RecursiveLock& lock);

  // Keeps the set of locks that a fork holds, between its two ends.
  static void Push(uint32_t held);
  static uint32_t Pop();
  // Returns the id that the forking thread had in the parent. It is called in the child. REQUIRES: Push or
  // NoteForkingThread on this thread.
  static int32_t parent_thread();
  static void NoteForkingThread();

 private:
  static constexpr int64_t kPatienceNs = 250'000'000;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_RUNTIME_FORK_HOLDS_H_
