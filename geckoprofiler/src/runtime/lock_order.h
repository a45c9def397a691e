#ifndef GECKOPROF_GECKOPROFILER_RUNTIME_LOCK_ORDER_H_
#define GECKOPROF_GECKOPROFILER_RUNTIME_LOCK_ORDER_H_

#include <cstdint>

namespace geckoprof {

// The locks that one thread may take, in the order in which it may take them.
enum class LockRank : uint8_t {
  kProfiler,  // ApiCall: the thread is inside this library
  kRegistry,  // ThreadDirectory::Walk: shared, and its holder may take it again
  kPolicy,    // which threads the filters select
  kData,      // RegisteredThread::Lock
};

// LockOrder: which of the locks above the calling thread holds. It takes no lock itself.
//
// In debug builds (without NDEBUG) a lock that is taken out of order ends the program, and names both ranks. Release
// builds keep count only, for the questions.
//
// Threads: each thread sees its own locks. Context: a thread that libc knows, so not the sampler's (thread_local).
class LockOrder {
 public:
  // True if the calling thread may take a lock of this rank now.
  static bool MayTake(LockRank rank);

  // Before a lock is waited for; after it was released.
  static void Take(LockRank rank);
  static void Release(LockRank rank);

  static bool Holds(LockRank rank) { return HoldCount(rank) != 0; }
  static uint32_t HoldCount(LockRank rank);
  // True if no function that takes one of these locks may be called.
  static bool HoldsAny();

  // Holds a rank for as long as it lives.
  class Scope {
   public:
    explicit Scope(LockRank rank) : rank_(rank) { Take(rank); }
    ~Scope() { Release(rank_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const LockRank rank_;
  };
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_RUNTIME_LOCK_ORDER_H_
