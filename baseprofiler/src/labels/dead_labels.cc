#include "labels/dead_labels.h"

#include <algorithm>

#include "labels/dead_stack.h"
#include "recording/thread_slots.h"

namespace geckoprof {
namespace {

// Which labels are dead.
class DeathOfLabels {
 public:
  DeathOfLabels(const ThreadSlot& slot, const geckoprof_label_scope& scope)
      : dead_(slot, scope.stack_pointer), scope_(scope), first_left_(FirstLeft(slot.labels)) {}

  bool IsDead(const LabelFrame& open) {
    const uintptr_t address = open.stack_address.load(std::memory_order_relaxed);
    return IsInFrame(address) ? first_left_ != nullptr && &open >= first_left_ : dead_.Holds(address);
  }

 private:
  bool IsInFrame(uintptr_t address) const { return address >= scope_.stack_pointer && address < scope_.frame_end; }
  bool IsLeft(const LabelFrame& open, uintptr_t address) const {
    return open.origin != 0 && scope_.origin != 0 &&
           geckoprof_base_label_is_left(reinterpret_cast<const geckoprof_label_frame*>(&open), address, scope_) != 0;
  }

  // The outermost label in the frame that was left open; null: none was. Further out than the caller's it is not.
  const LabelFrame* FirstLeft(const ProfilingStack& labels) const {
    const LabelFrame* first = nullptr;
    for (uint32_t i = std::min(labels.depth(), ProfilingStack::kCapacity); i-- > 0;) {
      const LabelFrame& open = labels.frame(i);
      const uintptr_t address = open.stack_address.load(std::memory_order_relaxed);
      if (address >= scope_.frame_end) break;
      if (IsInFrame(address) && IsLeft(open, address)) first = &open;
    }
    return first;
  }

  DeadStack dead_;
  const geckoprof_label_scope scope_;
  const LabelFrame* const first_left_;
};

}  // namespace

void DropDeadLabels(ProfilingStack& labels, const geckoprof_label_scope& scope) {
  // Nearly always the innermost is a caller's, and all is well: as in geckoprof_base_label_may_be_left.
  const uint32_t depth = labels.depth();
  const bool is_stored = depth > 0 && depth <= ProfilingStack::kCapacity;
  if (is_stored && labels.frame(depth - 1).stack_address.load(std::memory_order_relaxed) >= scope.frame_end) return;
  const ThreadSlot* const slot = ThreadSlots::Known();
  if (slot == nullptr || &slot->labels != &labels) return;
  DeathOfLabels death(*slot, scope);
  labels.DropDead([&](const LabelFrame& open) { return death.IsDead(open); });
}

void DropOwnDeadLabels(uintptr_t stack_pointer) {
  if (ThreadSlot* const slot = ThreadSlots::Known()) {
    DropDeadLabels(slot->labels, {stack_pointer, stack_pointer, 0, 0});
  }
}

}  // namespace geckoprof
