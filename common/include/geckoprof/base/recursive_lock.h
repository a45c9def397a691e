#ifndef GECKOPROF_BASE_RECURSIVE_LOCK_H_
#define GECKOPROF_BASE_RECURSIVE_LOCK_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/lock_order.h"

namespace geckoprof {

// RecursiveLock: mutual exclusion between threads that its holder may take again.
//
//   word: 0 free; else the holder's thread id, with kWaiters added when somebody waits
//
// For a lock that is held while code which is not ours runs: a signal handler of the program that interrupts the
// holder and calls _exit, or a name service module that forks inside initgroups. With a plain lock both would wait for
// themselves. What is guarded may then be in the middle of a change; `depth` tells.
//
// Threads: any; a thread is known by its kernel id, so threads that libc does not know may hold it. Context: signal
// context only where the holder's half-made change can be coped with: taking and releasing are one store each, so a
// handler finds the lock held or free, never in between.
class RecursiveLock {
 public:
  constexpr explicit RecursiveLock(LockRank rank = LockRank::kUnordered) : rank_(rank) {}
  RecursiveLock(const RecursiveLock&) = delete;
  RecursiveLock& operator=(const RecursiveLock&) = delete;

  void Lock();
  [[nodiscard]] bool TryLock();
  void Unlock();

  // How often the calling thread holds it: 0 if it does not.
  uint32_t depth() const;

  // For the child of a fork, on the thread that lives on there under a new id: its holds stay, those of others are
  // forgotten. `parent_thread`: the id of the thread that forked.
  void AdoptInForkedChild(int32_t parent_thread);

 private:
  static constexpr uint32_t kWaiters = uint32_t{1} << 31;  // thread ids are below 2^22 (proc(5), pid_max)

  std::atomic<uint32_t> word_{0};
  uint32_t depth_ = 1;  // the holder's; 1 whenever nobody holds it
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
