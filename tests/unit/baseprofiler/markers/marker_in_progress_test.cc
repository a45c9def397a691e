// Each case in a forked child: a process has one core, and its threads one set of slots.
#include "markers/marker_in_progress.h"

#include <signal.h>

#include <catch2/catch.hpp>

#include "core/profiler_core.h"
#include "geckoprof/base/clock.h"
#include "markers/captured_stack.h"
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

TEST_CASE(
    "marker in progress: an abandoned one is dropped for one from the same depth, or nearer to the start of the "
    "stack") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start(OwnStack().high));
          const Segment* const segment = RecordingState::Get().RecordingSegment();
          ThreadSlot& slot = *RecordingState::Get().slots().Current();
          slot.marker_stack_memory = MarkerStackMemory::New();
          const UnwoundFrame frames[] = {{0x1000, 16}};
          FORKED_REQUIRE(slot.marker_stack_memory->Write(frames, {}).has_value());
          FORKED_REQUIRE(slot.markers.Enter(segment, Here() - 500));  // and no Exit
          FORKED_REQUIRE(!MarkerInProgress::DropAbandoned(*segment, slot, Here() - 1000));
          FORKED_REQUIRE(slot.marker_stack_memory->frame_count() == 1);
          FORKED_REQUIRE(MarkerInProgress(segment, slot, Here() - 500));  // the same caller
          FORKED_REQUIRE(slot.marker_stack_memory->frame_count() == 0);
          FORKED_REQUIRE(slot.markers.Enter(segment, Here() - 500));
          FORKED_REQUIRE(MarkerInProgress(segment, slot, Here()));
          FORKED_REQUIRE(slot.markers.under_way_at() == 0);
          FORKED_REQUIRE(Drops(DropReason::kNested) == 0 && Drops(DropReason::kAbandonedMarker) == 2);
          return 0;
        }) == 0);
}

char g_memory[1 << 16];
const Segment* g_segment = nullptr;

// Handles SIGUSR1 on `memory` from now on.
bool UseAlternateStack(char* memory, void (*handler)(int)) {
  const stack_t stack = {memory, 0, sizeof g_memory};
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  return sigaltstack(&stack, nullptr) == 0 && sigaction(SIGUSR1, &action, nullptr) == 0;
}

TEST_CASE("marker in progress: one that a handler left on the alternate stack is dropped once the thread is off it") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start(OwnStack().high));
          g_segment = RecordingState::Get().RecordingSegment();
          ThreadSlot& slot = *RecordingState::Get().slots().Current();
          FORKED_REQUIRE(UseAlternateStack(g_memory, [](int) {
            MarkerWriter& markers = RecordingState::Get().slots().Current()->markers;
            markers.Enter(g_segment, Here());  // and no Exit
            MarkerInProgress::DropAbandoned(*g_segment, *RecordingState::Get().slots().Current(), Here() + 500);
          }));
          raise(SIGUSR1);
          FORKED_REQUIRE(slot.markers.under_way_at() != 0 && Drops(DropReason::kAbandonedMarker) == 0);
          FORKED_REQUIRE(MarkerInProgress(g_segment, slot, Here()) && Drops(DropReason::kAbandonedMarker) == 1);
          return 0;
        }) == 0);
}

TEST_CASE("marker in progress: a handler on an alternate stack above the interrupted marker abandons none") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start(OwnStack().high));
          g_segment = RecordingState::Get().RecordingSegment();
          ThreadSlot& slot = *RecordingState::Get().slots().Current();
          alignas(16) char memory[sizeof g_memory];  // on this stack
          FORKED_REQUIRE(UseAlternateStack(memory, [](int) {
            const MarkerInProgress refused(g_segment, *RecordingState::Get().slots().Current(), Here());
          }));
          const MarkerInProgress interrupted(g_segment, slot, reinterpret_cast<uintptr_t>(memory) - 1000);
          raise(SIGUSR1);
          FORKED_REQUIRE(slot.markers.under_way_at() != 0);
          FORKED_REQUIRE(Drops(DropReason::kNested) == 1 && Drops(DropReason::kAbandonedMarker) == 0);
          return 0;
        }) == 0);
}

TEST_CASE("marker in progress: nothing is abandoned where the bounds of the stack are unknown, or on a coroutine's") {
  const RecordingFolder folder;
  const uintptr_t high = GENERATE(uintptr_t{0}, uintptr_t{4096});
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start(high));
          const Segment* const segment = RecordingState::Get().RecordingSegment();
          ThreadSlot& slot = *RecordingState::Get().slots().Current();
          FORKED_REQUIRE(slot.markers.Enter(segment, Here() - 500));  // and no Exit
          FORKED_REQUIRE(!MarkerInProgress(segment, slot, Here()) && Drops(DropReason::kNested) == 1);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
