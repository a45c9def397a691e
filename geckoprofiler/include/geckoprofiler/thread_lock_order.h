#ifndef GECKOPROF_GECKOPROFILER_THREAD_LOCK_ORDER_H_
#define GECKOPROF_GECKOPROFILER_THREAD_LOCK_ORDER_H_

#include <cstdint>

namespace geckoprof {

// The locks that protect what is known of threads, in the order in which one thread may take them.
enum class ThreadLockRank : uint8_t {
  kProfiler,  // of the full library's start, stop and so on
  kRegistry,  // LockedRegistry and OffThreadRef: shared, and may be taken again by its holder
  kPolicy,    // ThreadPolicyLock: which threads are profiled, for what
  kData,      // the locked part of one thread's data
};

// ThreadLockOrder: what the calling thread holds of the locks above. It takes no lock itself.
//
// In debug builds (without NDEBUG) a lock that is taken out of order ends the program, with both ranks named: an order
// that is broken once a day deadlocks once a year. Release builds keep count only, for the questions.
//
// Threads: each for itself. Context: a thread that libc knows; not the sampler's (thread_local).
class [[gnu::visibility("default")]] ThreadLockOrder {
 public:
  // Whether the calling thread may take a lock of this rank now.
  static bool MayTake(ThreadLockRank rank);

  // Before a lock is waited for; after it was released.
  static void Take(ThreadLockRank rank);
  static void Release(ThreadLockRank rank);

  static bool Holds(ThreadLockRank rank) { return HoldCount(rank) != 0; }
  static uint32_t HoldCount(ThreadLockRank rank);
  // Whether nothing that takes one of these locks may be called.
  static bool HoldsAny();
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREAD_LOCK_ORDER_H_
