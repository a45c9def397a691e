#include "labels/dead_labels.h"

#include "core/profiler_core.h"
#include "core/thread_slots.h"

namespace geckoprof {

void DropDeadLabels(ProfilingStack& labels, uintptr_t sp) {
  const ThreadSlot* const slot = ThreadSlots::Known();
  if (slot == nullptr || &slot->labels != &labels) return;
  const StackRange stack = ProfilerCore::Get().StackOf(*slot);
  labels.DropDead(ProfilingStack::DeadBelow(sp, stack.low, stack.high));
}

void DropOwnDeadLabels(uintptr_t sp) {
  if (ThreadSlot* const slot = ThreadSlots::Known()) DropDeadLabels(slot->labels, sp);
}

}  // namespace geckoprof
