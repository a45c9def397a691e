#ifndef GECKOPROF_GECKOPROFILER_RUNTIME_API_LOCKS_H_
#define GECKOPROF_GECKOPROFILER_RUNTIME_API_LOCKS_H_

#include <cstdint>

namespace geckoprof {

// The locks that one thread may take, in the order in which it may take them.
enum class ApiLockRank : uint8_t {
  kProfiler,  // ApiCall: the thread is inside this library
  kRegistry,  // ThreadDirectory::Walk: shared, and its holder may take it again
  kPolicy,    // which threads the filters select
  kData,      // RegisteredThread::Lock
};

// ApiLocks: which of the locks above the calling thread holds. It takes no lock itself.
//
// In debug builds (without NDEBUG) a lock that is taken out of order ends the program, and names both ranks. Release
// builds keep count only, for the questions.
//
// Threads: each thread sees its own locks.
// Context: a thread that libc knows, so not the sampler's (thread_local).
class ApiLocks {
 public:
  // True if the calling thread may take a lock of this rank now.
  static bool MayAcquire(ApiLockRank rank);

  // Acquire is called before the thread waits for the lock. Release is called after the lock was released.
  static void Acquire(ApiLockRank rank);
  static void Release(ApiLockRank rank);

  static bool Holds(ApiLockRank rank) { return HoldCount(rank) != 0; }
  static uint32_t HoldCount(ApiLockRank rank);
  // True if no function that takes one of these locks may be called.
  static bool HoldsAny();

  // Holds a rank for its lifetime.
  class Scope {
   public:
    explicit Scope(ApiLockRank rank) : rank_(rank) { Acquire(rank); }
    ~Scope() { Release(rank_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const ApiLockRank rank_;
  };
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_RUNTIME_API_LOCKS_H_
