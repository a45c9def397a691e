#ifndef GECKOPROF_HOOKS_LOCKS_LOCK_SUMS_H_
#define GECKOPROF_HOOKS_LOCKS_LOCK_SUMS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace geckoprof {

// The object that a thread waits at.
enum class WaitKind : uint8_t { kMutex, kReadWriteLock, kCondition, kSemaphore, kJoin, kBarrier, kFutex };

// LockSums: how long threads waited for each lock, in waits that have no marker of their own.
//
//   rows_   | kind and address | waits | total ns | longest ns |   a lock is in one of kProbes rows behind its hash
//   others_ | waits, total and longest for each kind |             of locks that found no row
//
// Take empties a row and leaves the lock in it. Another lock may have an empty row. A thread that is adding to it then
// adds to the other lock, and the sum of all locks stays right.
//
// Threads: any, without a lock. Context: any, signal context included.
class LockSums {
 public:
  static constexpr size_t kRows = 1024, kProbes = 8, kKinds = 7;

  struct Sum {
    WaitKind kind = WaitKind::kMutex;
    uintptr_t address = 0;  // 0: several locks
    uint64_t waits = 0;
    uint64_t total_ns = 0, longest_ns = 0;
  };

  void Add(WaitKind kind, uintptr_t address, uint64_t ns);

  // Calls visit(sum) for each lock with waits since the last Take. They begin at 0 again.
  template <typename Visit>
  void Take(const Visit& visit) {
    for (size_t i = 0; i < kRows + kKinds; ++i) {
      Row& row = i < kRows ? rows_[i] : others_[i - kRows];
      if (row.waits.load(std::memory_order_relaxed) == 0) continue;
      Sum sum;
      const uint64_t key = row.key.load(std::memory_order_relaxed);
      sum.kind = i < kRows ? static_cast<WaitKind>(key >> kKindShift) : static_cast<WaitKind>(i - kRows);
      sum.address = key & ((uint64_t{1} << kKindShift) - 1);
      sum.waits = row.waits.exchange(0, std::memory_order_relaxed);
      sum.total_ns = row.total_ns.exchange(0, std::memory_order_relaxed);
      sum.longest_ns = row.longest_ns.exchange(0, std::memory_order_relaxed);
      visit(sum);
    }
  }

 private:
  static constexpr unsigned kKindShift = 56;  // no address of a program is as large
  struct Row {
    std::atomic<uint64_t> key;  // 0: no lock yet
    std::atomic<uint64_t> waits, total_ns, longest_ns;
  };

  Row& RowOf(WaitKind kind, uintptr_t address);

  Row rows_[kRows] = {};
  Row others_[kKinds] = {};
};

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_LOCKS_LOCK_SUMS_H_
