// Waiting and mutual exclusion without pthread: usable from threads that libc does not know.
#ifndef GECKOPROF_BASE_FUTEX_H_
#define GECKOPROF_BASE_FUTEX_H_

#include <atomic>
#include <cstdint>

namespace geckoprof {

// Waits while *word == expected, at most timeout_ns (negative: for ever). Returns 0 or -errno; spurious returns are
// possible.
int FutexWait(const std::atomic<uint32_t>& word, uint32_t expected, int64_t timeout_ns);
// The same until an absolute time on CLOCK_MONOTONIC.
int FutexWaitUntil(const std::atomic<uint32_t>& word, uint32_t expected, int64_t deadline_ns);
void FutexWake(const std::atomic<uint32_t>& word, int count);

// FutexLock: a mutual exclusion lock of one word, for cold paths of our own data only.
//
//   word: 0 free, 1 held, 2 held and somebody waits (Drepper, "Futexes are tricky", the third mutex)
//
// Threads: any. Context: never signal context (the interrupted thread may hold it). Not recursive: see RecursiveLock.
// A holder must not call into the program's code.
class FutexLock {
 public:
  constexpr FutexLock() = default;
  FutexLock(const FutexLock&) = delete;
  FutexLock& operator=(const FutexLock&) = delete;

  void Lock();
  void Unlock();

  // Forgets a holder that does not exist in this process: for the child of a fork, where only one thread lives on.
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
