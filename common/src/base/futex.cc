#include "geckoprof/base/futex.h"

#include <linux/futex.h>
#include <time.h>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {

int FutexWait(const std::atomic<uint32_t>& word, uint32_t expected, int64_t timeout_ns) {
  timespec timeout = {timeout_ns / kNsPerSecond, timeout_ns % kNsPerSecond};
  return static_cast<int>(
      RawSyscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, timeout_ns < 0 ? nullptr : &timeout, nullptr, 0));
}

int FutexWaitUntil(const std::atomic<uint32_t>& word, uint32_t expected, int64_t deadline_ns) {
  timespec deadline = {deadline_ns / kNsPerSecond, deadline_ns % kNsPerSecond};
  // FUTEX_WAIT_BITSET takes an absolute time on CLOCK_MONOTONIC (futex(2)).
  return static_cast<int>(
      RawSyscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, expected, &deadline, nullptr, FUTEX_BITSET_MATCH_ANY));
}

void FutexWake(const std::atomic<uint32_t>& word, int count) {
  RawSyscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

void FutexLock::Lock() {
  uint32_t seen = 0;
  if (word_.compare_exchange_strong(seen, 1, std::memory_order_acquire)) return;
  // A thread that has waited sets the word to 2. It cannot know if other threads still wait.
  if (seen != 2) seen = word_.exchange(2, std::memory_order_acquire);
  while (seen != 0) {
    FutexWait(word_, 2, -1);
    seen = word_.exchange(2, std::memory_order_acquire);
  }
}

void FutexLock::Unlock() {
  if (word_.exchange(0, std::memory_order_release) == 2) FutexWake(word_, 1);
}

}  // namespace geckoprof
