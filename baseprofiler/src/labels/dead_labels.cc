#include "labels/dead_labels.h"

#include "core/profiler_core.h"
#include "core/thread_slots.h"

namespace geckoprof {
namespace {

// {0, 0}: unknown, so nothing is dead.
StackRange StackOf(const ThreadSlot& slot) {
  const StackRange known = {slot.stack_low, slot.stack_high};
  if (known.high != 0) return known;
  // The main thread's number is the process's; in the child of a fork, too.
  const ProfilerCore& core = ProfilerCore::Get();
  return core.IsMainThread(ThreadId::FromNumber(slot.tid.load(std::memory_order_relaxed))) ? core.MainStack() : known;
}

}  // namespace

void DropDeadLabels(ProfilingStack& labels, uintptr_t sp) {
  const ThreadSlot* const slot = ThreadSlots::Known();
  if (slot == nullptr || &slot->labels != &labels) return;
  const StackRange stack = StackOf(*slot);
  labels.DropDead(ProfilingStack::DeadBelow(sp, stack.low, stack.high));
}

void DropOwnDeadLabels(uintptr_t sp) {
  if (ThreadSlot* const slot = ThreadSlots::Known()) DropDeadLabels(slot->labels, sp);
}

}  // namespace geckoprof
