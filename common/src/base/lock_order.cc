#include "geckoprof/base/lock_order.h"

#ifndef NDEBUG

#include <atomic>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {
namespace {

struct Holder {
  std::atomic<int32_t> tid;     // 0 if the entry is free
  std::atomic<uint32_t> ranks;  // one bit for each rank that the thread holds
};
constinit Holder g_holders[64] = {};

constexpr uint32_t Bit(LockRank rank) { return uint32_t{1} << static_cast<uint32_t>(rank); }

Holder* Find(int32_t tid) {
  for (Holder& holder : g_holders) {
    if (holder.tid.load(std::memory_order_relaxed) == tid) return &holder;
  }
  return nullptr;
}

int32_t CallingThread() { return static_cast<int32_t>(RawSyscall(SYS_gettid)); }

}  // namespace

void LockOrder::Check(LockRank rank) {
  if (rank == LockRank::kUnordered) return;
  const Holder* const holder = Find(CallingThread());
  // `ranks` is at least the bit of `rank` if the thread holds this rank or a later one.
  if (holder != nullptr && holder->ranks.load(std::memory_order_relaxed) >= Bit(rank)) __builtin_trap();
}

void LockOrder::NoteAcquired(LockRank rank) {
  if (rank == LockRank::kUnordered) return;
  const int32_t tid = CallingThread();
  Holder* mine = Find(tid);
  for (Holder& holder : g_holders) {
    if (mine != nullptr) break;
    int32_t none = 0;
    if (holder.tid.compare_exchange_strong(none, tid, std::memory_order_relaxed)) mine = &holder;
  }
  // If there are more holders than entries, the order of this thread is not checked.
  if (mine != nullptr) mine->ranks.fetch_or(Bit(rank), std::memory_order_relaxed);
}

void LockOrder::NoteReleased(LockRank rank) {
  if (rank == LockRank::kUnordered) return;
  Holder* const mine = Find(CallingThread());
  if (mine == nullptr) return;  // the child of a fork releases a lock that its parent acquired
  if (mine->ranks.fetch_and(~Bit(rank), std::memory_order_relaxed) == Bit(rank)) {
    mine->tid.store(0, std::memory_order_relaxed);
  }
}

}  // namespace geckoprof

#endif  // NDEBUG
