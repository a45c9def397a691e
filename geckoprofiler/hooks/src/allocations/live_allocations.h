#ifndef GECKOPROF_HOOKS_ALLOCATIONS_LIVE_ALLOCATIONS_H_
#define GECKOPROF_HOOKS_ALLOCATIONS_LIVE_ALLOCATIONS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "geckoprof/base/hash_mix.h"

namespace geckoprof {

// LiveAllocations: the sampled blocks that are not free yet, by address. Nearly every free is of a block that is not
// here, and costs one load.
//
//   free(p) --> filter_[hash of p] == 0: not here, done
//                                  > 0: look at two buckets
//
//   filter_    | 0 | 0 | 2 | 0 | 1 | ...      how many blocks of the table have this hash. 255 stays for ever
//   table_     | address x 8 | weight x 8 |   a block lies in the bucket of its address, or in the next one
//
// Invariants: a block is added before its address is given to the program, and taken before the real free. So no two
// threads add or take the same address at a time, and the program's own order is enough between them. The table is
// empty in a forked child, which has not recorded its parent's blocks. Threads: any, without a lock. Context: any,
// signal context included, but for Reserve.
class LiveAllocations {
 public:
  // Reserves the table for at most this number of blocks, or for less if the address space is limited. Pages are
  // allocated when they are needed: 16 bytes a block. Returns false if there is no memory at all. Calls after the first
  // success do nothing.
  bool Reserve(size_t blocks);

  // Returns false if both buckets are full.
  bool Add(uintptr_t address, int64_t weight);
  bool MayHave(uintptr_t address) const { return filter_[FilterIndex(address)].load(std::memory_order_relaxed) != 0; }
  // Removes the block. Returns false if it is not here.
  bool Take(uintptr_t address, int64_t& weight);

  // Makes MayHave true for ever for an address that is no block of the allocator's.
  void Mark(uintptr_t address) { Count(address).store(kFull, std::memory_order_relaxed); }

 private:
  static constexpr int kFilterBits = 14;  // half of the smallest first cache
  static constexpr size_t kFilterBytes = size_t{1} << kFilterBits;
  static constexpr size_t kBucketBlocks = 8;
  static constexpr uint8_t kFull = 255;
  static constexpr uintptr_t kLogarithmBits = 63;
  struct Bucket {
    std::atomic<uintptr_t> address[kBucketBlocks];  // 0: free
    std::atomic<int64_t> weight[kBucketBlocks];
  };
  struct Table {
    Bucket* buckets = nullptr;
    size_t mask = 0;  // the number of buckets, less one

    bool IsReserved() const { return buckets != nullptr; }
    // Neighbours in the heap are neighbours here, which saves caches. 256 bytes have at most eight small blocks.
    Bucket& BucketOf(uintptr_t address, size_t step) const {
      return buckets[((address >> 8) + MixBits(address >> 26) + step) & mask];
    }
  };

  // Blocks are multiples of 16 bytes apart. One multiplication is enough here, and every free pays for it.
  static size_t FilterIndex(uintptr_t address) { return (address >> 4) * 0x9e3779b97f4a7c15u >> (64 - kFilterBits); }
  std::atomic<uint8_t>& Count(uintptr_t address) { return filter_[FilterIndex(address)]; }
  Table table() const {
    const uintptr_t word = table_.load(std::memory_order_acquire);
    return {reinterpret_cast<Bucket*>(word & ~kLogarithmBits), (size_t{1} << (word & kLogarithmBits)) - 1};
  }
  static void CountUp(std::atomic<uint8_t>& count);
  static void CountDown(std::atomic<uint8_t>& count);

  std::atomic<uint8_t> filter_[kFilterBytes] = {};
  std::atomic<uintptr_t> table_{0};  // the address, and the logarithm of the number of buckets in its lowest bits
};

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_ALLOCATIONS_LIVE_ALLOCATIONS_H_
