// The three functions that record markers (baseprofiler/marker_abi.h).
#include "baseprofiler/marker_abi.h"

#include <algorithm>
#include <span>

#include "geckoprof/base/hash_mix.h"
#include "geckoprof/config/start_features.h"
#include "markers/captured_stack.h"
#include "markers/early_markers.h"
#include "markers/marker_in_progress.h"
#include "markers/marker_type_registry.h"
#include "process/process_control.h"
#include "recording/recording_state.h"
#include "runtime/exported_function.h"

namespace geckoprof {
namespace {

constexpr uint32_t kPhases = GECKOPROF_MARKER_PHASE;

// Another thread may be registering the site at this moment.
uint64_t Registered(const geckoprof_marker_site& site) { return __atomic_load_n(&site.registered, __ATOMIC_RELAXED); }

// The segment of the recording, and the calling thread's slot. The slot is null while nothing is recorded.
struct Place {
  const Segment* segment = EarlyMarkers::SegmentForMarker(RecordingState::Get());
  ThreadSlot* slot = segment == nullptr ? nullptr : RecordingState::Get().slots().Current();
};

// REQUIRES: a marker is in progress. Null: it is dropped and counted.
uint8_t* Begin(const Place& place, geckoprof_marker_site& site, TimedMarker& marker, size_t payload_bytes) {
  const uint64_t word = MarkerTypeRegistry::SiteWord(*place.segment, site);
  if (word == 0) return nullptr;
  marker.site = static_cast<uint32_t>(word);
  const ThreadId tid = ThreadId::FromNumber(place.slot->tid.load(std::memory_order_relaxed));
  return place.slot->markers.Begin(tid, marker, payload_bytes);
}

// The first marker of a site, a thread or a chunk, and every marker that is refused. It is a function of its own, with
// no more arguments than there are registers, so that BeginInPlace has nothing to save.
__attribute__((noinline)) void* BeginSlowly(geckoprof_marker_site* site, uint32_t flags, geckoprof_time start,
                                            geckoprof_time time, uint32_t payload_bytes, uintptr_t caller_sp) {
  const Place place;
  if (place.slot == nullptr) return nullptr;
  if (flags > kPhases || payload_bytes > MarkerWriter::kMaxQuickPayloadBytes || !MarkerTypeRegistry::IsComplete(site)) {
    place.segment->CountDrop(DropReason::kBadMarker);
    return nullptr;
  }
  MarkerInProgress progress(place.segment, *place.slot, caller_sp);
  if (!progress) return nullptr;
  TimedMarker marker;
  marker.phase = flags;
  marker.start = start;
  marker.time = time;
  uint8_t* const to = Begin(place, *site, marker, payload_bytes);
  if (to == nullptr) return nullptr;
  if (payload_bytes == 0) {
    place.slot->markers.Commit();
  } else {
    progress.StayOpen();
  }
  return to;
}

// `flags` is a phase. Nearly all markers make no call here.
__attribute__((always_inline)) inline void* BeginInPlace(geckoprof_marker_site* site, uint32_t flags,
                                                         geckoprof_time start, geckoprof_time time,
                                                         uint32_t payload_bytes, uintptr_t caller_sp) {
  const RecordingState& state = RecordingState::Get();
  ThreadSlot* const slot = state.RecordsMarkers() ? ThreadSlots::Known() : nullptr;
  const bool is_right = flags <= kPhases && payload_bytes <= MarkerWriter::kMaxQuickPayloadBytes;
  if (__builtin_expect(slot != nullptr, 1) && __builtin_expect(is_right, 1)) {
    // Each size of head has a call of its own, so the compiler knows the size.
    const Segment* const segment = state.MarkedSegment();
    const uint64_t registered = Registered(*site);
    uint8_t* const to =
        flags == kMarkerIsInterval
            ? slot->markers.TryBegin(segment, registered, kMarkerIsInterval, start, time, payload_bytes, caller_sp)
            : slot->markers.TryBegin(segment, registered, static_cast<uint8_t>(flags | kMarkerHasOneTime), 0, time,
                                     payload_bytes, caller_sp);
    if (__builtin_expect(to != nullptr, 1)) {
      if (payload_bytes == 0) slot->markers.Commit();
      return to;
    }
  }
  return BeginSlowly(site, flags, start, time, payload_bytes, caller_sp);
}

// Reading the clock without the counter is a call, so this is a function of its own, too.
__attribute__((noinline)) void* BeginByClock(geckoprof_marker_site* site, uint32_t flags, geckoprof_time start,
                                             uint32_t payload_bytes, uintptr_t caller_sp) {
  return BeginInPlace(site, flags, start, geckoprof_base_time(), payload_bytes, caller_sp);
}

// False: outer frames are missing.
bool CaptureStack(const Place& place, const geckoprof_marker_options& options, const CallerFrame& caller,
                  CapturedStack& stack) {
  if (options.stack != nullptr) {
    return options.stack->size_bytes >= sizeof(geckoprof_stack) && stack.Capture(*options.stack);
  }
  const uint32_t features = place.segment->header().features;
  if ((features & (kFeatureNoMarkerStacks | kFeatureNoStackSampling)) != 0) return true;
  ThreadSlot& slot = *place.slot;
  const bool native = (options.flags & GECKOPROF_MARKER_WITH_STACK) != 0 && (features & kFeatureStackWalk) != 0;
  if (native && slot.marker_stack_memory == nullptr) slot.marker_stack_memory = MarkerStackMemory::New();
  const int32_t tid = slot.tid.load(std::memory_order_relaxed);
  RecordingState& state = RecordingState::Get();
  SamplerControl& control = state.control();
  const uint32_t unloads = control.unloads.load(std::memory_order_relaxed);
  StackRange range = state.StackOf(slot);
  MarkerStackMemory* const memory = slot.marker_stack_memory;
  if (native && memory != nullptr) {
    memory->BeginIn(place.segment->serial());
    if (range.high == 0 && !state.HasStoppedForGood()) range = memory->own_stack().Find(caller.sp, slot.published_ns);
  }
  return stack.Capture({tid, range, slot.labels, unloads, control, memory, options.skipped_frames}, caller, native);
}

int Add(const Place& place, geckoprof_marker_site& site, TimedMarker& marker,
        std::span<const geckoprof_piece> payload) {
  constexpr uint64_t kLargest = uint64_t{1} << 30;  // more than any chunk
  uint64_t payload_bytes = 0;
  for (const geckoprof_piece& piece : payload) payload_bytes += std::min(piece.size_bytes, kLargest);
  uint8_t* to = Begin(place, site, marker, payload_bytes);
  if (to == nullptr) {
    return marker.stack.size() + payload_bytes > place.segment->chunk_bytes() / 2 ? GECKOPROF_TOO_LARGE
                                                                                  : GECKOPROF_NO_ROOM;
  }
  for (const geckoprof_piece& piece : payload) {
    if (piece.size_bytes == 0) continue;
    memcpy(to, piece.bytes, piece.size_bytes);
    to += piece.size_bytes;
  }
  place.slot->markers.Commit();
  return GECKOPROF_MARKED;
}

// A function of its own, because it takes some KiB of the marking thread's stack.
__attribute__((noinline)) int AddWithStack(const Place& place, geckoprof_marker_site& site,
                                           const geckoprof_marker_options& options, TimedMarker& marker,
                                           std::span<const geckoprof_piece> payload, const CallerFrame& caller) {
  CapturedStack stack(PendingMarkerStacks::Get());
  if (!CaptureStack(place, options, caller, stack)) place.segment->CountDrop(DropReason::kMarkerStack);
  if (stack.labels_missing() > 0) place.segment->CountDrop(DropReason::kLabelOverflow, stack.labels_missing());
  marker.stack = stack.bytes();
  const int result = Add(place, site, marker, payload);
  stack.HandOver(result == GECKOPROF_MARKED ? place.slot->markers.last_chunk() : ChunkUse{});
  // The thread runs a destructor of a library that is being unloaded. The code of that library goes next.
  if (place.slot->unloading > 0) PendingMarkerStacks::Get().WaitUntilWritten(PendingMarkerStacks::kUnloadWaitNs);
  return result;
}

bool MakesSense(const geckoprof_marker_site* site, const geckoprof_marker_options* options,
                const geckoprof_piece* payload, uint32_t piece_count) {
  constexpr uint32_t kKnownFlags = GECKOPROF_MARKER_IS_TOO_LARGE * 2 - 1;
  return MarkerTypeRegistry::IsComplete(site) && options != nullptr && options->size_bytes >= sizeof(*options) &&
         options->flags <= kKnownFlags && (site->name != nullptr || options->name != nullptr) &&
         piece_count <= GECKOPROF_MOST_PIECES && (piece_count == 0 || payload != nullptr);
}

TimedMarker MakeHead(const geckoprof_marker_site& site, const geckoprof_marker_options& options) {
  const uint32_t flags = options.flags;
  TimedMarker marker;
  marker.phase = flags & GECKOPROF_MARKER_PHASE;
  marker.start = options.start;
  marker.time = (flags & GECKOPROF_MARKER_NOW) != 0 ? geckoprof_base_time() : options.time;
  marker.about = ThreadId::FromNumber(options.thread < 0 ? 0 : options.thread);
  if (site.name == nullptr) marker.name = {options.name, options.name_bytes};
  if ((flags & GECKOPROF_MARKER_HAS_CATEGORY) != 0) marker.category_pair = options.category_pair;
  if ((flags & GECKOPROF_MARKER_HAS_FLOW) != 0) {
    const bool ends = (flags & GECKOPROF_MARKER_ENDS_FLOW) != 0;
    marker.flow = {options.flow, static_cast<uint8_t>(kMarkerHasFlow | (ends ? kMarkerEndsFlow : 0))};
  }
  return marker;
}

}  // namespace
}  // namespace geckoprof

static_assert(GECKOPROF_MOST_BYTES_IN_PLACE == geckoprof::MarkerWriter::kMaxQuickPayloadBytes);

GECKOPROF_EXPORT void* geckoprof_base_begin_in_place(geckoprof_marker_site* site, uint32_t flags, geckoprof_time start,
                                                     geckoprof_time time, uint32_t payload_bytes) {
  using namespace geckoprof;
  const uintptr_t caller_sp = CallerStackPointer();
  if ((flags & GECKOPROF_MARKER_NOW) != 0) {
    flags -= GECKOPROF_MARKER_NOW;
    const bool is_counter = __builtin_expect(ForkSafeClock().load(std::memory_order_relaxed) != 0, 1);
    if (!is_counter) return BeginByClock(site, flags, start, payload_bytes, caller_sp);
    time = geckoprof_base_counter_time();
  }
  return BeginInPlace(site, flags, start, time, payload_bytes, caller_sp);
}

GECKOPROF_EXPORT void geckoprof_base_end_in_place(uint32_t /*flags*/) {
  geckoprof::ThreadSlots::Known()->markers.Commit();
}

GECKOPROF_EXPORT int geckoprof_base_add_marker(geckoprof_marker_site* site, const geckoprof_marker_options* options,
                                               const geckoprof_piece* payload, uint32_t piece_count) {
  using namespace geckoprof;
  const Place place;
  if (!MakesSense(site, options, payload, piece_count)) {
    if (place.segment != nullptr) place.segment->CountDrop(DropReason::kBadMarker);
    return GECKOPROF_BAD_ARGUMENT;
  }
  if (place.slot == nullptr) return GECKOPROF_NOT_RECORDING;
  if ((options->flags & GECKOPROF_MARKER_IS_TOO_LARGE) != 0) {
    place.segment->CountDrop(DropReason::kTooLarge);
    return GECKOPROF_TOO_LARGE;
  }
  const auto* const frame = static_cast<const uintptr_t*>(__builtin_frame_address(0));
  const CallerFrame caller = {reinterpret_cast<uint64_t>(__builtin_return_address(0)), CallerStackPointer(), frame[0]};
  TimedMarker marker = MakeHead(*site, *options);
  const bool name_is_cut = marker.name.size() > MarkerWriter::kLargestNameBytes;
  if (name_is_cut || (options->flags & GECKOPROF_MARKER_WAS_CUT) != 0) place.segment->CountDrop(DropReason::kTextCut);
  const MarkerInProgress progress(place.segment, *place.slot, caller.sp);
  if (!progress) return GECKOPROF_INTERRUPTED;
  const std::span<const geckoprof_piece> pieces(payload, piece_count);
  const bool captures = (options->flags & (GECKOPROF_MARKER_WITH_STACK | GECKOPROF_MARKER_WITH_LABELS)) != 0;
  return options->stack != nullptr || captures ? AddWithStack(place, *site, *options, marker, pieces, caller)
                                               : Add(place, *site, marker, pieces);
}

// The salt is not a secret. It is made of the process's number, and of the time at which the process was made or
// forked. A child that base was not told of records nothing, and has the salt of its parent.
GECKOPROF_EXPORT uint64_t geckoprof_base_process_salt() {
  using namespace geckoprof;
  const RecordingState& state = RecordingState::Get();
  return MixBits(static_cast<uint64_t>(state.constructor_ns()) ^ static_cast<uint64_t>(state.pid().ToNumber()) << 40);
}
