#include "recording/thread_slots.h"

#include "baseprofiler/label_abi.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/signals_blocked.h"
#include "process/process_control.h"

// The pointer through which the program's own code finds its labels (label_abi.h). It is set together with the slot.
// The TLS model is repeated here, because gcc forgets the model of the declaration.
__attribute__((tls_model("initial-exec"))) __thread geckoprof_label_stack* geckoprof_base_labels = nullptr;

namespace geckoprof {

__attribute__((tls_model("initial-exec"))) __thread ThreadSlot* ThreadSlots::own_ = nullptr;

namespace {

// Every so many claims, Claim looks for slots of threads that ended while nothing was recorded. The search makes one
// system call a slot, so its cost is spread over as many new threads.
constexpr uint32_t kClaimsPerReclaim = 64;

}  // namespace

ThreadSlot* ThreadSlots::Claim() {
  NoteUse();
  if (claims_.fetch_add(1, std::memory_order_relaxed) % kClaimsPerReclaim == kClaimsPerReclaim - 1 &&
      ForkSafeState().load(std::memory_order_relaxed) == 0) {
    ReclaimDead();
  }
  ThreadSlot* const slot = registry_.Claim();
  if (slot != nullptr) {
    const int32_t mine = own_ != nullptr ? own_->tid.load(std::memory_order_relaxed) : CurrentThread().ToNumber();
    slot->creator_tid.store(mine, std::memory_order_relaxed);
  }
  return slot;
}

void ThreadSlots::Unclaim(ThreadSlot* slot) { slot->state.store(ThreadSlot::State::kFree, std::memory_order_release); }

ThreadSlot* ThreadSlots::Begin(ThreadSlot* slot, uintptr_t stack_low, uintptr_t stack_high) {
  const SignalsBlocked blocked(kEveryAsynchronousSignal);
  // A signal handler on this new thread may have made a slot already. Then that slot stays, and `slot` is free again.
  ThreadSlot* const mine = own_ != nullptr ? own_ : slot;
  mine->stack_low.store(stack_low, std::memory_order_relaxed);
  mine->stack_high.store(stack_high, std::memory_order_release);
  if (mine != slot) {
    mine->creator_tid.store(slot->creator_tid.load(std::memory_order_relaxed), std::memory_order_relaxed);
    Unclaim(slot);
    control_.Announce();
    return mine;
  }
  own_ = slot;
  geckoprof_base_labels = reinterpret_cast<geckoprof_label_stack*>(&slot->labels);
  Publish(slot);
  return slot;
}

// Makes `slot` the calling thread's slot, unless a signal handler was faster. One instruction decides.
bool ThreadSlots::Adopt(ThreadSlot* slot) {
  ThreadSlot* expected = nullptr;
  if (!__atomic_compare_exchange_n(&own_, &expected, slot, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return false;
  geckoprof_base_labels = reinterpret_cast<geckoprof_label_stack*>(&slot->labels);
  return true;
}

// REQUIRES: signals are blocked. A handler could otherwise write a marker into a slot that does not describe its thread
// yet. A handler that leaves by longjmp would leave the slot so for ever.
void ThreadSlots::Publish(ThreadSlot* slot) {
  slot->published_ns = MonotonicNs();
  ThreadRegistry::Publish(slot, CurrentThread());
  control_.Announce();
}

ThreadSlot* ThreadSlots::MakeOwn() {
  // The child of a vfork runs in its parent's memory, where a new slot would seem to be the parent's. Under a seccomp
  // filter that may kill, this function must not ask the kernel for an id.
  if (StoppedForGood().load(std::memory_order_relaxed) || !process_.IsThisProcess()) return nullptr;
  const SignalsBlocked blocked(kEveryAsynchronousSignal);
  ThreadSlot* const slot = Claim();
  if (slot == nullptr) return own_;
  if (!Adopt(slot)) {
    Unclaim(slot);
    return own_;
  }
  // A thread that ended while nothing was recorded may have left a slot under this tid. The search must come after
  // Adopt. A handler of a synchronous signal may have made this thread's slot meanwhile, and that slot must not be
  // released.
  const ThreadId self = CurrentThread();
  if (ThreadSlot* const stale = registry_.FindByTid(self)) ThreadRegistry::Release(stale, self);
  Publish(slot);
  return slot;
}

// Frees slots of ended threads. While recording, the sampler does this itself.
void ThreadSlots::ReclaimDead() {
  const ProcessId process = CurrentProcess();
  registry_.ForEachLive([process](ThreadSlot& slot) {
    const ThreadId tid = ThreadId::FromNumber(slot.tid.load(std::memory_order_relaxed));
    if (!ThreadExists(process, tid)) ThreadRegistry::Release(&slot, tid);
  });
}

// The main thread does not count, because every profile has it even if its slot is new.
uint32_t ThreadSlots::CountUnlisted() const {
  const int32_t main_tid = CurrentProcess().ToNumber();
  uint32_t count = 0;
  registry_.ForEachLive([&](const ThreadSlot& slot) {
    const bool is_main = slot.tid.load(std::memory_order_relaxed) == main_tid;
    count += !is_main && !slot.listed.load(std::memory_order_relaxed);
  });
  return count;
}

void ThreadSlots::ForgetOthers() {
  registry_.KeepOnly(own_);
  if (own_ == nullptr) return;
  // The marker writer in the slot stays, because the fork may come from a handler that interrupted it. The next marker
  // sees another segment.
  own_->tid.store(CurrentThread().ToNumber(), std::memory_order_relaxed);
  own_->is_traced.store(false, std::memory_order_relaxed);
}

}  // namespace geckoprof
