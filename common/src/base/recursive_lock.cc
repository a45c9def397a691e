#include "geckoprof/base/recursive_lock.h"

#include "geckoprof/base/futex.h"
#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {
namespace {

uint32_t CallingThread() { return static_cast<uint32_t>(RawSyscall(SYS_gettid)); }

}  // namespace

void RecursiveLock::Lock() {
  const uint32_t self = CallingThread();
  uint32_t seen = word_.load(std::memory_order_relaxed);
  if ((seen & ~kWaiters) == self) {
    ++depth_;
    return;
  }
  LockOrder::Check(rank_);
  uint32_t mine = self;
  for (;;) {
    if (seen == 0) {
      if (word_.compare_exchange_weak(seen, mine, std::memory_order_acquire, std::memory_order_relaxed)) break;
      continue;
    }
    // Set kWaiters before waiting, so that the holder wakes a thread when it releases the lock.
    if ((seen & kWaiters) == 0 &&
        !word_.compare_exchange_weak(seen, seen | kWaiters, std::memory_order_relaxed, std::memory_order_relaxed)) {
      continue;
    }
    FutexWait(word_, seen | kWaiters, -1);
    mine = self | kWaiters;  // other threads may wait, too
    seen = word_.load(std::memory_order_relaxed);
  }
  LockOrder::NoteAcquired(rank_);
}

bool RecursiveLock::TryLock() {
  const uint32_t self = CallingThread();
  uint32_t seen = 0;
  if (word_.compare_exchange_strong(seen, self, std::memory_order_acquire, std::memory_order_relaxed)) {
    LockOrder::NoteAcquired(rank_);
    return true;
  }
  if ((seen & ~kWaiters) != self) return false;
  ++depth_;
  return true;
}

void RecursiveLock::Unlock() {
  if (depth_ > 1) {
    --depth_;
    return;
  }
  LockOrder::NoteReleased(rank_);
  if ((word_.exchange(0, std::memory_order_release) & kWaiters) != 0) FutexWake(word_, 1);
}

uint32_t RecursiveLock::depth() const {
  return (word_.load(std::memory_order_relaxed) & ~kWaiters) == CallingThread() ? depth_ : 0;
}

void RecursiveLock::AdoptInForkedChild(int32_t parent_thread) {
  if ((word_.load(std::memory_order_relaxed) & ~kWaiters) == static_cast<uint32_t>(parent_thread)) {
    word_.store(CallingThread(), std::memory_order_relaxed);
    return;
  }
  word_.store(0, std::memory_order_relaxed);
  depth_ = 1;
}

}  // namespace geckoprof
