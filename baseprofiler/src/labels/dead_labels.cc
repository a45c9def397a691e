#include "labels/dead_labels.h"

#include <algorithm>

#include "core/thread_slots.h"
#include "stacks/dead_stack.h"

namespace geckoprof {
namespace {

// Which labels are dead.
class DeathOfLabels {
 public:
  DeathOfLabels(const ThreadSlot& slot, const char* label, const geckoprof_label_scope& scope)
      : dead_(slot, scope.stack_pointer),
        label_(label),
        scope_(scope),
        frame_is_of_another_call_(HoldsAnotherCalls(slot.labels)) {}

  bool IsDead(const LabelFrame& open) {
    const uintptr_t address = open.stack_address.load(std::memory_order_relaxed);
    return IsInFrame(address) ? frame_is_of_another_call_ : dead_.Holds(address);
  }

 private:
  bool IsInFrame(uintptr_t address) const { return address >= scope_.stack_pointer && address < scope_.frame_end; }

  // Whether one of the innermost labels, up to the first that is the caller's, lies in the frame and is another call's.
  bool HoldsAnotherCalls(const ProfilingStack& labels) const {
    for (uint32_t i = std::min(labels.depth(), ProfilingStack::kCapacity); i-- > 0;) {
      const LabelFrame& open = labels.frame(i);
      const uintptr_t address = open.stack_address.load(std::memory_order_relaxed);
      if (address >= scope_.frame_end) break;
      if (IsInFrame(address) && IsOfAnotherCall(open, address)) return true;
    }
    return false;
  }

  bool IsOfAnotherCall(const LabelFrame& open, uintptr_t address) const {
    return open.origin != 0 && scope_.origin != 0 &&
           geckoprof_base_label_is_of_another_call(reinterpret_cast<const geckoprof_label_frame*>(&open), address,
                                                   label_, scope_) != 0;
  }

  DeadStack dead_;
  const char* const label_;
  const geckoprof_label_scope scope_;
  const bool frame_is_of_another_call_;
};

}  // namespace

void DropDeadLabels(ProfilingStack& labels, const char* label, const geckoprof_label_scope& scope) {
  // Nearly always the innermost is a caller's, and all is well: as in geckoprof_base_label_may_be_left.
  const uint32_t depth = labels.depth();
  const bool is_stored = depth > 0 && depth <= ProfilingStack::kCapacity;
  if (is_stored && labels.frame(depth - 1).stack_address.load(std::memory_order_relaxed) >= scope.frame_end) return;
  const ThreadSlot* const slot = ThreadSlots::Known();
  if (slot == nullptr || &slot->labels != &labels) return;
  DeathOfLabels death(*slot, label, scope);
  labels.DropDead([&](const LabelFrame& open) { return death.IsDead(open); });
}

void DropOwnDeadLabels(uintptr_t stack_pointer) {
  if (ThreadSlot* const slot = ThreadSlots::Known()) {
    DropDeadLabels(slot->labels, nullptr, {stack_pointer, stack_pointer, 0, 0});
  }
}

}  // namespace geckoprof
