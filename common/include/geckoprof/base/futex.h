// Waiting and mutual exclusion without pthread. Threads that libc does not know can use both.
#ifndef GECKOPROF_BASE_FUTEX_H_
#define GECKOPROF_BASE_FUTEX_H_

#include <atomic>
#include <cstdint>

namespace geckoprof {

// Waits while `word` has the value `expected`, but not longer than `timeout_ns`. A negative timeout means no limit.
// Returns 0 or -errno. The call may return early without a reason.
int FutexWait(const std::atomic<uint32_t>& word, uint32_t expected, int64_t timeout_ns);
// Waits likewise until an absolute time on CLOCK_MONOTONIC.
int FutexWaitUntil(const std::atomic<uint32_t>& word, uint32_t expected, int64_t deadline_ns);
void FutexWake(const std::atomic<uint32_t>& word, int count);

// FutexLock is a mutex of one word, for cold paths that guard data of our own.
//
//   word   0   free
//          1   held
//          2   held, and another thread waits
//
// The algorithm is the third mutex of Drepper's "Futexes are tricky". The lock is not recursive (see RecursiveLock). A
// holder must not call into the program's code.
//
// Threads: any.
// Context: not signal context, because the interrupted thread may hold the lock.
class FutexLock {
 public:
  constexpr FutexLock() = default;
  FutexLock(const FutexLock&) = delete;
  FutexLock& operator=(const FutexLock&) = delete;

  void Lock();
  void Unlock();

  // Forgets the holder. The child of a fork calls this, because only the forking thread lives on there.
  void ResetInForkedChild() { word_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<uint32_t> word_{0};
};

class FutexLockHolder {
 public:
  explicit FutexLockHolder(FutexLock& lock) : lock_(lock) { lock_.Lock(); }
  ~FutexLockHolder() { lock_.Unlock(); }
  FutexLockHolder(const FutexLockHolder&) = delete;
  FutexLockHolder& operator=(const FutexLockHolder&) = delete;

 private:
  FutexLock& lock_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_FUTEX_H_
