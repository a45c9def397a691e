#include "markers/marker_in_progress.h"

#include "labels/dead_stack.h"
#include "markers/marker_stack_memory.h"

namespace geckoprof {

bool MarkerInProgress::GiveUpAbandoned(const Segment& segment, ThreadSlot& slot, uintptr_t caller_sp) {
  DeadStack dead(slot, caller_sp);
  if (!dead.Holds(slot.markers.under_way_at())) return false;
  // It may have been in the middle of noting what it walked.
  if (slot.marker_stack_memory != nullptr) slot.marker_stack_memory->Reset();
  slot.markers.GiveUp();
  segment.CountDrop(DropReason::kAbandonedMarker);
  return true;
}

}  // namespace geckoprof
