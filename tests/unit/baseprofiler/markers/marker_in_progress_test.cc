// Each case in a forked child: a process has one core, and its threads one set of slots.
#include "markers/marker_in_progress.h"

#include <catch2/catch.hpp>

#include "core/profiler_core.h"
#include "geckoprof/base/clock.h"
#include "markers/marker_stack_memory.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"
#include "tests/support/own_stack.h"

namespace geckoprof {
namespace {

uintptr_t Here() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }
uint64_t Drops(DropReason reason) {
  return RecordingState::Get().RecordingSegment()->header().drops[static_cast<uint32_t>(reason)].load();
}

TEST_CASE("marker in progress: one at a time, by scope") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const Segment* const segment = RecordingState::Get().RecordingSegment();
          ThreadSlot& slot = *RecordingState::Get().slots().Current();
          {
            const MarkerInProgress first(segment, slot, Here());
            FORKED_REQUIRE(first && slot.markers.under_way_at() != 0);
            FORKED_REQUIRE(!MarkerInProgress(segment, slot, Here() - 500));  // as a handler farther in
            FORKED_REQUIRE(slot.markers.under_way_at() != 0);
          }
          FORKED_REQUIRE(slot.markers.under_way_at() == 0);
          FORKED_REQUIRE(Drops(DropReason::kNested) == 1 && Drops(DropReason::kAbandonedMarker) == 0);
          return 0;
        }) == 0);
}

TEST_CASE("marker in progress: one that was left for good gives way to one from as far out") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start(OwnStack().high));
          const Segment* const segment = RecordingState::Get().RecordingSegment();
          ThreadSlot& slot = *RecordingState::Get().slots().Current();
          slot.marker_stack_memory = MarkerStackMemory::New();
          const UnwoundFrame frames[] = {{0x1000, 16}};
          const uint8_t written[] = {1};
          slot.marker_stack_memory->Note(frames, written);
          FORKED_REQUIRE(slot.markers.Enter(segment, Here() - 500));  // and no Exit
          FORKED_REQUIRE(!MarkerInProgress::GiveUpAbandoned(*segment, slot, Here() - 1000));
          FORKED_REQUIRE(!slot.marker_stack_memory->WrittenFor(frames).empty());
          FORKED_REQUIRE(MarkerInProgress(segment, slot, Here() - 500));  // the same caller
          FORKED_REQUIRE(slot.marker_stack_memory->WrittenFor(frames).empty());
          FORKED_REQUIRE(slot.markers.Enter(segment, Here() - 500));
          FORKED_REQUIRE(MarkerInProgress(segment, slot, Here()));
          FORKED_REQUIRE(slot.markers.under_way_at() == 0);
          FORKED_REQUIRE(Drops(DropReason::kNested) == 0 && Drops(DropReason::kAbandonedMarker) == 2);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
