#ifndef GECKOPROF_THREADS_THREAD_REGISTRY_H_
#define GECKOPROF_THREADS_THREAD_REGISTRY_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/ids.h"
#include "geckoprof/threads/thread_slot.h"

namespace geckoprof {

// ThreadRegistry holds all slots of the process. The sampler finds them without a lock.
//
//   blocks: | block 0 | block 1 | ...      64 slots each, mapped when first needed, never unmapped
//
// Threads: any thread calls Claim for itself, and Claim is lock-free. The sampler calls Release and FindByTid. Any
// thread may call ForEachLive.
// Context: Claim may map memory, so it must not run in signal context. The other functions may run in any context.
// Lifetime: static and zero-initialised. There is no constructor, so the registry works before any constructor has run.
class ThreadRegistry {
 public:
  static constexpr uint32_t kSlotsPerBlock = 64;
  static constexpr uint32_t kMaxBlocks = 512;  // 32,768 threads at a time, the default of kernel.pid_max

  // Returns a free slot for the calling thread in state kClaimed, or null if memory ran out. The caller fills in the
  // slot and calls Publish.
  ThreadSlot* Claim();
  static void Publish(ThreadSlot* slot, ThreadId tid) {
    slot->tid.store(tid.ToNumber(), std::memory_order_relaxed);
    slot->state.store(ThreadSlot::State::kLive, std::memory_order_release);
  }

  // Frees the slot of the thread `tid`, which must have ended. Its half-filled chunk is released for other threads.
  // Returns false if the slot no longer belongs to `tid`. Another caller has released it then, and another thread may
  // already own it.
  static bool Release(ThreadSlot* slot, ThreadId tid);

  // Returns the live slot of a thread, or null. If a thread ends without Release, its slot may be found under a reused
  // tid. The sampler therefore releases the slots of all threads that it sees end.
  ThreadSlot* FindByTid(ThreadId tid) const;

  // Calls function(ThreadSlot&) for each slot that is live now.
  template <typename Function>
  void ForEachLive(const Function& function) const {
    ForEachIn(ThreadSlot::State::kLive, function);
  }

  // Returns true if `creator` has claimed a slot that is not published yet. The new thread has not begun then.
  bool HasClaimed(ThreadId creator) const;

  // Frees every slot except the caller's, in a forked child.
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
  std::atomic<uint32_t> claimed_in_;  // a hint: the block that last had a free slot
};

}  // namespace geckoprof

#endif  // GECKOPROF_THREADS_THREAD_REGISTRY_H_
