#include "geckoprof/threads/thread_registry.h"

#include <sys/mman.h>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {
namespace {

constexpr size_t kBlockBytes = ThreadRegistry::kSlotsPerBlock * sizeof(ThreadSlot);

bool TryClaim(ThreadSlot& slot) {
  ThreadSlot::State expected = ThreadSlot::State::kFree;
  return slot.state.load(std::memory_order_relaxed) == expected &&
         slot.state.compare_exchange_strong(expected, ThreadSlot::State::kClaimed, std::memory_order_acquire);
}

void Reset(ThreadSlot& slot) {
  slot.tid.store(0, std::memory_order_relaxed);
  slot.stack_low.store(0, std::memory_order_relaxed);
  slot.stack_high.store(0, std::memory_order_relaxed);
  slot.start_function = nullptr;
  slot.start_argument = nullptr;
  slot.creator_tid.store(0, std::memory_order_relaxed);
  slot.published_ns = 0;
  slot.listed.store(false, std::memory_order_relaxed);
  slot.is_owners.store(false, std::memory_order_relaxed);
  slot.registrations.store(0, std::memory_order_relaxed);
  slot.blocked_signals.store(0, std::memory_order_relaxed);
  slot.has_timer.store(false, std::memory_order_relaxed);
  slot.signal_stack_room.store(SignalStackRoom::kAmple, std::memory_order_relaxed);
  slot.is_traced.store(false, std::memory_order_relaxed);
  slot.unloading = 0;
  slot.hidden_signal = 0;
  slot.name[0].store('\0', std::memory_order_relaxed);
  for (std::atomic<uint64_t>& word : slot.kernel_name) word.store(0, std::memory_order_relaxed);
  slot.renamed.store(0, std::memory_order_relaxed);
  slot.markers = MarkerWriter();
  slot.labels.Clear();
}

}  // namespace

ThreadSlot* ThreadRegistry::ClaimIn(ThreadSlot* block) {
  for (uint32_t i = 0; i < kSlotsPerBlock; ++i) {
    if (!TryClaim(block[i])) continue;
    Reset(block[i]);
    return &block[i];
  }
  return nullptr;
}

ThreadSlot* ThreadRegistry::Claim() {
  const uint32_t count = block_count_.load(std::memory_order_acquire);
  const uint32_t first = claimed_in_.load(std::memory_order_relaxed);
  for (uint32_t looked = 0; looked < count; ++looked) {
    const uint32_t b = (first + looked) % count;
    ThreadSlot* const slot = ClaimIn(Block(b));
    if (slot == nullptr) continue;
    claimed_in_.store(b, std::memory_order_relaxed);
    return slot;
  }
  for (uint32_t b = count; b < kMaxBlocks; ++b) {
    if (b >= block_count_.load(std::memory_order_acquire) && !AddBlock(b)) return nullptr;
    if (ThreadSlot* const slot = ClaimIn(Block(b))) return slot;
  }
  return nullptr;
}

bool ThreadRegistry::AddBlock(uint32_t index) {
  const long memory =
      RawSyscall(SYS_mmap, nullptr, kBlockBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (IsSyscallError(memory)) return false;
  ThreadSlot* expected = nullptr;
  if (!blocks_[index].compare_exchange_strong(expected, reinterpret_cast<ThreadSlot*>(memory),
                                              std::memory_order_acq_rel)) {
    RawSyscall(SYS_munmap, memory, kBlockBytes);  // another thread was faster
  }
  uint32_t count = index;
  block_count_.compare_exchange_strong(count, index + 1, std::memory_order_acq_rel);
  return true;
}

// Two callers may see the end of a thread at the same time. The caller that changes the slot from live to claimed frees
// it. Before that, it checks the id again, because the slot may have got another owner after the first check.
bool ThreadRegistry::Release(ThreadSlot* slot, ThreadId tid) {
  const auto is_its = [&] { return slot->tid.load(std::memory_order_relaxed) == tid.ToNumber(); };
  ThreadSlot::State expected = ThreadSlot::State::kLive;
  if (!is_its() ||
      !slot->state.compare_exchange_strong(expected, ThreadSlot::State::kClaimed, std::memory_order_acq_rel)) {
    return false;
  }
  if (!is_its()) {
    // The slot belongs to another thread by now, so it becomes live again.
    slot->state.store(ThreadSlot::State::kLive, std::memory_order_release);
    return false;
  }
  slot->markers.ReleasePartial();
  slot->tid.store(0, std::memory_order_relaxed);
  slot->state.store(ThreadSlot::State::kFree, std::memory_order_release);
  return true;
}

ThreadSlot* ThreadRegistry::FindByTid(ThreadId tid) const {
  ThreadSlot* found = nullptr;
  ForEachLive([&](ThreadSlot& slot) {
    if (slot.tid.load(std::memory_order_relaxed) == tid.ToNumber()) found = &slot;
  });
  return found;
}

bool ThreadRegistry::HasClaimed(ThreadId creator) const {
  bool has = false;
  ForEachIn(ThreadSlot::State::kClaimed, [&](const ThreadSlot& slot) {
    has |= slot.creator_tid.load(std::memory_order_relaxed) == creator.ToNumber();
  });
  return has;
}

void ThreadRegistry::KeepOnly(ThreadSlot* mine) {
  ForEachLive([&](ThreadSlot& slot) {
    if (&slot != mine) slot.state.store(ThreadSlot::State::kFree, std::memory_order_release);
  });
  // The parent's sampler may have claimed the caller's slot in Release to check its owner.
  if (mine != nullptr) mine->state.store(ThreadSlot::State::kLive, std::memory_order_release);
}

}  // namespace geckoprof
