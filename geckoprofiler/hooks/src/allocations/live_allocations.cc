#include "allocations/live_allocations.h"

#include <sys/mman.h>

#include <bit>

namespace geckoprof {

bool LiveAllocations::Reserve(size_t blocks) {
  constexpr size_t kFewestBlocks = 4096;
  for (size_t count = std::bit_ceil(blocks); count >= kFewestBlocks && !table().IsReserved(); count /= 2) {
    const size_t buckets = count / kBucketBlocks, bytes = buckets * sizeof(Bucket);
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) continue;
    madvise(memory, bytes, MADV_WIPEONFORK);
    uintptr_t none = 0;
    const uintptr_t word = reinterpret_cast<uintptr_t>(memory) | static_cast<uintptr_t>(std::countr_zero(buckets));
    if (!table_.compare_exchange_strong(none, word, std::memory_order_acq_rel)) munmap(memory, bytes);
  }
  return table().IsReserved();
}

bool LiveAllocations::Add(uintptr_t address, int64_t weight) {
  const Table blocks = table();
  for (size_t step = 0; blocks.IsReserved() && step < 2; ++step) {
    Bucket& bucket = blocks.BucketOf(address, step);
    for (size_t i = 0; i < kBucketBlocks; ++i) {
      uintptr_t none = 0;
      if (bucket.address[i].load(std::memory_order_relaxed) != 0 ||
          !bucket.address[i].compare_exchange_strong(none, address, std::memory_order_acq_rel)) {
        continue;
      }
      bucket.weight[i].store(weight, std::memory_order_relaxed);
      CountUp(Count(address));
      return true;
    }
  }
  return false;
}

bool LiveAllocations::Take(uintptr_t address, int64_t& weight) {
  const Table blocks = table();
  for (size_t step = 0; blocks.IsReserved() && step < 2; ++step) {
    Bucket& bucket = blocks.BucketOf(address, step);
    for (size_t i = 0; i < kBucketBlocks; ++i) {
      if (bucket.address[i].load(std::memory_order_relaxed) != address) continue;
      weight = bucket.weight[i].load(std::memory_order_relaxed);
      uintptr_t expected = address;
      // Only a program that frees a block twice at a time gets here twice.
      if (!bucket.address[i].compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) return false;
      CountDown(Count(address));
      return true;
    }
  }
  return false;
}

void LiveAllocations::CountUp(std::atomic<uint8_t>& count) {
  uint8_t now = count.load(std::memory_order_relaxed);
  while (now != kFull && !count.compare_exchange_weak(now, now + 1, std::memory_order_relaxed)) {
  }
}

void LiveAllocations::CountDown(std::atomic<uint8_t>& count) {
  uint8_t now = count.load(std::memory_order_relaxed);
  while (now != kFull && now != 0 && !count.compare_exchange_weak(now, now - 1, std::memory_order_relaxed)) {
  }
}

}  // namespace geckoprof
