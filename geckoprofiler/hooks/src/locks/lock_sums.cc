#include "locks/lock_sums.h"

#include "geckoprof/base/hash_mix.h"

namespace geckoprof {

LockSums::Row& LockSums::RowOf(WaitKind kind, uintptr_t address) {
  // A lock at address 0 cannot exist, so no key is 0.
  const uint64_t key = address | uint64_t{static_cast<uint8_t>(kind)} << kKindShift;
  const size_t first = MixBits(key) % kRows;
  for (size_t i = 0; i < kProbes; ++i) {
    if (rows_[(first + i) % kRows].key.load(std::memory_order_relaxed) == key) return rows_[(first + i) % kRows];
  }
  for (size_t i = 0; i < kProbes; ++i) {
    Row& row = rows_[(first + i) % kRows];
    uint64_t known = row.key.load(std::memory_order_relaxed);
    if (known != 0 && row.waits.load(std::memory_order_relaxed) != 0) continue;
    if (row.key.compare_exchange_strong(known, key, std::memory_order_relaxed) || known == key) return row;
  }
  return others_[static_cast<size_t>(kind)];
}

void LockSums::Add(WaitKind kind, uintptr_t address, uint64_t ns) {
  Row& row = RowOf(kind, address);
  row.total_ns.fetch_add(ns, std::memory_order_relaxed);
  uint64_t longest_ns = row.longest_ns.load(std::memory_order_relaxed);
  while (ns > longest_ns && !row.longest_ns.compare_exchange_weak(longest_ns, ns, std::memory_order_relaxed)) {
  }
  row.waits.fetch_add(1, std::memory_order_release);  // last, so that Take does not leave the time behind
}

}  // namespace geckoprof
