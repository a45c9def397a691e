#include "markers/marker_in_progress.h"

#include "markers/captured_stack.h"
#include "recording/recording_state.h"
#include "stacks/stack_bounds.h"

namespace geckoprof {

bool MarkerInProgress::DropAbandoned(const Segment& segment, ThreadSlot& slot, uintptr_t caller_sp) {
  const uintptr_t at = slot.markers.under_way_at();
  const StackRange own = RecordingState::Get().StackOf(slot);
  const bool is_below = own.Below(caller_sp).Contains(at);
  if (!own.Contains(caller_sp) || (own.Contains(at) && !is_below)) return false;
  const AlternateStack alternate = AlternateStack::Query();
  if (alternate.may_be_in_use || !(is_below || alternate.range.Contains(at))) return false;
  // The jump may have left the memory half written, too.
  if (slot.marker_stack_memory != nullptr) slot.marker_stack_memory->Reset();
  slot.markers.Abandon();
  segment.CountDrop(DropReason::kAbandonedMarker);
  return true;
}

}  // namespace geckoprof
