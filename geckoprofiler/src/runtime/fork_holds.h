#ifndef GECKOPROF_GECKOPROFILER_RUNTIME_FORK_HOLDS_H_
#define GECKOPROF_GECKOPROFILER_RUNTIME_FORK_HOLDS_H_

#include <cstdint>

#include "geckoprof/base/recursive_lock.h"
#include "geckoprof/base/signals_blocked.h"

namespace geckoprof {

// ForkHolds: which locks a thread that forks has got, from before the fork until after it, in both processes.
//
//   A: profiler_shutdown (base's lock) | handler: fork: base's lock once more | ours, for a while | fork
//   B: fork: waits for base's lock ................................................................ | ours | fork
//
// Base's lock comes first: it is held for long, and a handler that interrupts its holder may fork. Ours are held for a
// few instructions, with signals blocked (Holder); should their holder come to a fork all the same, nobody waits for
// them for longer than kPatienceNs, and what was not got counts in the child as in the middle of a change: it begins
// anew there. By thread, and a stack: a handler may fork while its thread is in the middle of another fork. Threads:
// any that libc knows. Context: signal context included.
class ForkHolds {
 public:
  static constexpr uint32_t kBase = 1, kControl = 2, kListeners = 4, kAfterSampling = 8, kUnwinder = 16;

  // Holds a lock that TryFor is used on. No handler of the program's interrupts the holder: else threads whose handlers
  // fork again and again would come to nothing but waiting for it.
  class Holder {
   public:
    explicit Holder(RecursiveLock& lock) : holder_(lock) {}

   private:
    // libc's own two stay: a thread that is made meanwhile would have them blocked for ever.
    const SignalsBlocked quiet_{kEverySignal & ~(SignalBit(32) | SignalBit(33))};
    const RecursiveLockHolder holder_;
  };

  // False: not in time.
  [[nodiscard]] static bool TryFor(RecursiveLock& lock);

  // What a fork holds, between its two ends.
  static void Push(uint32_t held);
  static uint32_t Pop();
  // In the child: who forked, as the parent knows it. REQUIRES: Push or Note on this thread.
  static int32_t parent_thread();
  static void Note();

 private:
  static constexpr int64_t kPatienceNs = 250'000'000;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_RUNTIME_FORK_HOLDS_H_
