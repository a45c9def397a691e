#include "labels/dead_labels.h"

#include <signal.h>

#include "core/profiler_core.h"
#include "core/thread_slots.h"
#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {
namespace {

// Of the calling thread's alternate stack, if nobody is on it. Under a filter nobody is asked.
ProfilingStack::DeadRange AlternateStack() {
  stack_t stack = {};
  if (ProfilerCore::Get().HasStoppedForGood() || IsSyscallError(RawSyscall(SYS_sigaltstack, nullptr, &stack)) ||
      (stack.ss_flags & (SS_ONSTACK | SS_DISABLE)) != 0) {
    return {};
  }
  const auto low = reinterpret_cast<uintptr_t>(stack.ss_sp);
  return {low, low + stack.ss_size};
}

// Which labels are dead. The kernel is asked once, for a label that lies elsewhere.
class DeathOfLabels {
 public:
  DeathOfLabels(const StackRange& stack, const char* label, const geckoprof_label_scope& scope)
      : stack_(stack),
        below_(ProfilingStack::DeadBelow(scope.stack_pointer, stack.low, stack.high)),
        label_(label),
        scope_(scope) {}

  bool IsDead(const LabelFrame& open) {
    const uintptr_t address = open.stack_address.load(std::memory_order_relaxed);
    if (below_.Holds(address)) return true;
    if (address >= scope_.stack_pointer && address < scope_.frame_end) return IsOfAnotherCall(open, address);
    const bool is_elsewhere = below_.high != 0 && (address < stack_.low || address >= stack_.high);
    return is_elsewhere && IsOnIdleAlternateStack(address);
  }

 private:
  bool IsOfAnotherCall(const LabelFrame& open, uintptr_t address) const {
    return open.origin != 0 && scope_.origin != 0 &&
           geckoprof_base_label_is_of_another_call(reinterpret_cast<const geckoprof_label_frame*>(&open), address,
                                                   label_, scope_) != 0;
  }

  bool IsOnIdleAlternateStack(uintptr_t address) {
    if (!asked_) alternate_ = AlternateStack();
    asked_ = true;
    return alternate_.Holds(address);
  }

  const StackRange stack_;
  const ProfilingStack::DeadRange below_;
  const char* const label_;
  const geckoprof_label_scope scope_;
  ProfilingStack::DeadRange alternate_;
  bool asked_ = false;
};

}  // namespace

void DropDeadLabels(ProfilingStack& labels, const char* label, const geckoprof_label_scope& scope) {
  // Nearly always the innermost is a caller's, and all is well: as in geckoprof_base_label_may_be_left.
  const uint32_t depth = labels.depth();
  const bool is_stored = depth > 0 && depth <= ProfilingStack::kCapacity;
  if (is_stored && labels.frame(depth - 1).stack_address.load(std::memory_order_relaxed) >= scope.frame_end) return;
  const ThreadSlot* const slot = ThreadSlots::Known();
  if (slot == nullptr || &slot->labels != &labels) return;
  DeathOfLabels death(ProfilerCore::Get().StackOf(*slot), label, scope);
  labels.DropDead([&](const LabelFrame& open) { return death.IsDead(open); });
}

void DropOwnDeadLabels(uintptr_t stack_pointer) {
  if (ThreadSlot* const slot = ThreadSlots::Known()) {
    DropDeadLabels(slot->labels, nullptr, {stack_pointer, stack_pointer, 0, 0});
  }
}

}  // namespace geckoprof
