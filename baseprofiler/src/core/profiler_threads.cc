// ProfilerCore's part about the program's own threads.
#include "core/process_control.h"
#include "core/profiler_core.h"
#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {
namespace {

// Initial-exec: an access is one instruction, and never a call that may allocate. The library is there from the start,
// so it has its place in the static block.
__attribute__((tls_model("initial-exec"))) thread_local ThreadSlot* t_slot = nullptr;

// How often slots of threads are looked for that ended while nothing was recorded: one kernel call a slot, spread over
// as many threads.
constexpr uint32_t kClaimsPerReclaim = 64;

}  // namespace

bool ProfilerCore::IsThisProcess() const { return CurrentProcess() == pid_; }

ThreadSlot* ProfilerCore::ClaimSlot() {
  if (claims_.fetch_add(1, std::memory_order_relaxed) % kClaimsPerReclaim == kClaimsPerReclaim - 1 &&
      state() == State::kInactive) {
    ReclaimDeadSlots();
  }
  return registry_.Claim();
}

void ProfilerCore::UnclaimSlot(ThreadSlot* slot) {
  slot->state.store(ThreadSlot::State::kFree, std::memory_order_release);
}

void ProfilerCore::BeginThread(ThreadSlot* slot, uintptr_t stack_low, uintptr_t stack_high) {
  slot->stack_low = stack_low;
  slot->stack_high = stack_high;
  PublishSlot(slot);
}

void ProfilerCore::PublishSlot(ThreadSlot* slot) {
  t_slot = slot;
  ThreadRegistry::Publish(slot, CurrentThread());
  control_.announced.fetch_add(1, std::memory_order_release);
}

ThreadSlot* ProfilerCore::KnownSlot() { return t_slot; }

ThreadSlot* ProfilerCore::CurrentSlot() {
  if (t_slot != nullptr) return t_slot;
  // A thread that ended while nothing was recorded may have left a slot under this tid.
  if (ThreadSlot* const stale = registry_.FindByTid(CurrentThread())) ThreadRegistry::Release(stale);
  ThreadSlot* const slot = ClaimSlot();
  if (slot != nullptr) PublishSlot(slot);
  return slot;
}

// While recording, the sampler frees the slots of threads that it sees end.
void ProfilerCore::ReclaimDeadSlots() {
  registry_.ForEachLive([this](ThreadSlot& slot) {
    const int32_t tid = slot.tid.load(std::memory_order_relaxed);
    if (RawSyscall(SYS_tgkill, pid_.ToNumber(), tid, 0) != 0) ThreadRegistry::Release(&slot);
  });
}

void ProfilerCore::ForgetOtherThreads() {
  registry_.KeepOnly(t_slot);
  if (t_slot == nullptr) return;
  t_slot->tid.store(CurrentThread().ToNumber(), std::memory_order_relaxed);
  t_slot->markers = MarkerWriter();
}

}  // namespace geckoprof
