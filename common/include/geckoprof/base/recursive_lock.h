#ifndef GECKOPROF_BASE_RECURSIVE_LOCK_H_
#define GECKOPROF_BASE_RECURSIVE_LOCK_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/lock_order.h"

namespace geckoprof {

// RecursiveLock is a mutex that its holder may acquire again.
//
//   word   0                       free
//          thread id               held
//          thread id | kWaiters    held, and other threads wait
//
// It serves locks that are held while foreign code runs. An example is a signal handler of the program that interrupts
// the holder and calls _exit. Another example is a name service module that forks inside initgroups. With a plain lock,
// the thread would wait for itself. The nested holder may find the guarded data in the middle of a change. `depth`
// tells it so.
//
// Threads: any. The lock identifies a thread by its kernel id, so a thread that libc does not know may hold it.
// Context: signal context only if the code can handle a half-made change of the holder. Acquire and release are one
// store each, so a handler finds the lock either held or free.
class RecursiveLock {
 public:
  constexpr explicit RecursiveLock(LockRank rank = LockRank::kUnordered) : rank_(rank) {}
  RecursiveLock(const RecursiveLock&) = delete;
  RecursiveLock& operator=(const RecursiveLock&) = delete;

  void Lock();
  [[nodiscard]] bool TryLock();
  void Unlock();

  // Returns how many times the calling thread holds the lock. 0 means that it does not hold it.
  uint32_t depth() const;

  // Adapts the lock in the child of a fork. The forking thread has a new id there and keeps its holds. Holds of other
  // threads are forgotten. `parent_thread` is the id of the thread that forked.
  void AdoptInForkedChild(int32_t parent_thread);

 private:
  static constexpr uint32_t kWaiters = uint32_t{1} << 31;  // thread ids are below 2^22 (proc(5), pid_max)

  std::atomic<uint32_t> word_{0};
  uint32_t depth_ = 1;  // written by the holder alone; 1 while the lock is free
  [[maybe_unused]] const LockRank rank_;
};

class RecursiveLockHolder {
 public:
  explicit RecursiveLockHolder(RecursiveLock& lock) : lock_(lock) { lock_.Lock(); }
  ~RecursiveLockHolder() { lock_.Unlock(); }
  RecursiveLockHolder(const RecursiveLockHolder&) = delete;
  RecursiveLockHolder& operator=(const RecursiveLockHolder&) = delete;

 private:
  RecursiveLock& lock_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_RECURSIVE_LOCK_H_
