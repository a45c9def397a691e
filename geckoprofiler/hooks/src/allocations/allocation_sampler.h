#ifndef GECKOPROF_HOOKS_ALLOCATIONS_ALLOCATION_SAMPLER_H_
#define GECKOPROF_HOOKS_ALLOCATIONS_ALLOCATION_SAMPLER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "allocations/live_allocations.h"
#include "geckoprof/config/start_features.h"
#include "runtime/hook_features.h"

namespace geckoprof {

// The part of the state that each thread has for itself.
struct ThreadAllocations {
  int64_t left_bytes = 0;       // to the next hit; below 0 at the thread's first allocation
  uint64_t random_state = 0;    // 0: the thread has not drawn yet
  int64_t balance_bytes = 0;    // what the counter does not have yet
  int64_t operation_count = 0;  // likewise
  int64_t tid = 0;              // 0: unknown
};
// Constant-initialised and without a destructor, so access is one instruction.
extern constinit thread_local ThreadAllocations t_allocations __attribute__((tls_model("initial-exec")));

// AllocationSampler: decides which blocks are sampled, and records them and their frees as markers. It also counts all
// blocks for the counter of `memory`.
//
//   malloc(n) --> MustRecord: the thread's bytes to the next hit -= n + 1. If they are >= 0: real malloc, done
//                 < 0: real malloc --> Record: marker with stack, weight and address; LiveAllocations gets the block
//   free(p) ----> MustRelease: LiveAllocations may have it? --> Release: marker with the negative weight --> real free
//
// The marker of a free is made before the real free, and that of an allocation after the real allocation. So the rows
// of one address alternate. Each thread begins with a draw of its own. A draw has no memory, so no error comes from a
// thread that ends before its next hit.
//
// Threads: any, without a lock. Context: any. errno stays.
class AllocationSampler {
 public:
  static constexpr uint32_t kFeatures = kFeatureNativeAllocations | kFeatureMemory;
  static constexpr uint64_t kDefaultMeanBytes = 512 * 1024;

  // Called by the library's constructor, perhaps after other hooks ran. Returns false if the environment has an invalid
  // mean distance, and the default counts.
  bool Prepare();
  // Adds what the calling thread has counted to the counter.
  static void FlushThread();

  // The program is about to get a block of `bytes`. `wanted` is HookFeatures(kFeatures), and not 0. Returns false if
  // the block is not recorded, which is nearly always so. Otherwise Record is called with it.
  [[gnu::always_inline]] static bool MustRecord(uint32_t wanted, size_t bytes) {
    if ((wanted & kFeatureNativeAllocations) != 0) t_allocations.left_bytes -= static_cast<int64_t>(bytes) + 1;
    return wanted != kFeatureNativeAllocations || t_allocations.left_bytes < 0;
  }
  // `block` may be null. Its stack begins with the caller of the calling function.
  [[gnu::noinline]] void Record(uint32_t wanted, const void* block, size_t bytes);

  // True if the block must be released before it is freed. Costs two loads.
  [[gnu::always_inline]] bool MustRelease(const void* block) const {
    return live_.MayHave(reinterpret_cast<uintptr_t>(block)) || HookFeatures(kFeatureMemory) != 0;
  }

  // A block that the program gives back, in two steps, because realloc may fail.
  struct Freed {
    int64_t weight = 0;  // 0: the block was not sampled
    uint64_t time = 0;   // a geckoprof_time from before the block was free
  };
  Freed BeginRelease(const void* block);
  void EndRelease(const void* block, const Freed& freed);  // the block is free, or will be
  void UndoRelease(const void* block, const Freed& freed);
  void Release(const void* block) { EndRelease(block, BeginRelease(block)); }

  LiveAllocations& live() { return live_; }

 private:
  void Sample(const void* block, size_t bytes);
  // `bytes` is below 0 for a free.
  [[gnu::noinline]] void Count(int64_t bytes);

  uint64_t MeanBytes();

  std::atomic<uint64_t> mean_bytes_{0};  // 0: the environment was not read yet. 1 records every allocation
  LiveAllocations live_;
};

extern constinit AllocationSampler g_allocation_sampler;

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_ALLOCATIONS_ALLOCATION_SAMPLER_H_
