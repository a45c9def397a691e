#ifndef GECKOPROF_THREADS_THREAD_REGISTRY_H_
#define GECKOPROF_THREADS_THREAD_REGISTRY_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/ids.h"
#include "geckoprof/threads/thread_slot.h"

namespace geckoprof {

// ThreadRegistry: all slots of the process, found by the sampler without a lock.
//
//   blocks: | block 0 | block 1 | ...      each 64 slots, mapped when first needed, never unmapped
//
// Threads: Claim: any thread for itself, lock-free. Release, FindByTid: the sampler. ForEachLive: any.
// Context: Claim may map memory, so not signal context; the rest any.
// Lifetime: static, zero-initialised; needs no constructor, so it works before any.
class ThreadRegistry {
 public:
  static constexpr uint32_t kSlotsPerBlock = 64;
  static constexpr uint32_t kMaxBlocks = 512;  // 32,768 threads at a time, which is the default of kernel.pid_max

  // A free slot for the calling thread, in state kClaimed; the caller fills it and calls Publish. Null if memory ran
  // out.
  ThreadSlot* Claim();
  static void Publish(ThreadSlot* slot, ThreadId tid) {
    slot->tid.store(tid.ToNumber(), std::memory_order_relaxed);
    slot->state.store(ThreadSlot::State::kLive, std::memory_order_release);
  }

  // The thread `tid` is known to have ended: its half-filled chunk is left for others. False: the slot is not its any
  // more, somebody else has released it, and another thread may have it already.
  static bool Release(ThreadSlot* slot, ThreadId tid);

  // The live slot of a thread, or null. A slot whose thread has ended without Release may be found under a reused tid:
  // the sampler releases slots of threads that it sees end.
  ThreadSlot* FindByTid(ThreadId tid) const;

  // Calls function(ThreadSlot&) for each slot that is live now.
  template <typename Function>
  void ForEachLive(const Function& function) const {
    ForEachIn(ThreadSlot::State::kLive, function);
  }

  // Whether there is a slot that `creator` has claimed and that is not published yet: its new thread has not begun.
  bool HasClaimed(ThreadId creator) const;

  // In a forked child: frees every slot but the caller's.
  void KeepOnly(ThreadSlot* mine);

 private:
  template <typename Function>
  void ForEachIn(ThreadSlot::State state, const Function& function) const {
    const uint32_t count = block_count_.load(std::memory_order_acquire);
    for (uint32_t b = 0; b < count; ++b) {
      ThreadSlot* const block = Block(b);
      for (uint32_t i = 0; i < kSlotsPerBlock; ++i) {
        if (block[i].state.load(std::memory_order_acquire) == state) function(block[i]);
      }
    }
  }

  static ThreadSlot* ClaimIn(ThreadSlot* block);
  ThreadSlot* Block(uint32_t index) const { return blocks_[index].load(std::memory_order_acquire); }
  bool AddBlock(uint32_t index);

  std::atomic<ThreadSlot*> blocks_[kMaxBlocks];
  std::atomic<uint32_t> block_count_;
  std::atomic<uint32_t> claimed_in_;  // the block that last had a free slot: a hint
};

}  // namespace geckoprof

#endif  // GECKOPROF_THREADS_THREAD_REGISTRY_H_
