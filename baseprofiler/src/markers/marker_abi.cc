// baseprofiler/marker_abi.h.
#include "baseprofiler/marker_abi.h"

#include <array>
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

enum AddResult : int { kAdded = 0, kNotRecorded = 1, kNoRoom = 2, kTooLarge = 3, kInterrupted = 4, kNonsense = 5 };

constexpr uint32_t kLastPhase = 3;

// Others may be registering it just now.
uint64_t Registered(const geckoprof_marker_site& site) { return __atomic_load_n(&site.registered, __ATOMIC_RELAXED); }

// The calling thread's slot, when something is recorded.
struct Place {
  const Segment* segment = EarlyMarkers::SegmentForMarker(RecordingState::Get());
  ThreadSlot* slot = segment == nullptr ? nullptr : RecordingState::Get().slots().Current();
};

// The same where both are there already, for the quick ways: without a call, so that they have nothing to save. A null
// slot is for the slow way to make or to miss. Of a recording that has just ended the segment is null, which
// MarkerWriter takes.
struct QuickPlace {
  ThreadSlot* slot = RecordingState::Get().RecordsMarkers() ? ThreadSlots::Known() : nullptr;
  const Segment* segment = RecordingState::Get().MarkedSegment();
};

// Between Enter and Exit.
int Put(const Place& place, geckoprof_marker_site& site, TimedMarker& marker) {
  const uint64_t word = MarkerTypeRegistry::SiteWord(*place.segment, site);
  if (word == 0) return kNoRoom;
  marker.site = static_cast<uint32_t>(word);
  const ThreadId tid = ThreadId::FromNumber(place.slot->tid.load(std::memory_order_relaxed));
  return place.slot->markers.Put(tid, marker) ? kAdded : kNoRoom;
}

int Add(const Place& place, geckoprof_marker_site& site, TimedMarker& marker, uintptr_t caller_sp) {
  const MarkerInProgress progress(place.segment, *place.slot, caller_sp);
  return progress ? Put(place, site, marker) : kInterrupted;
}

__attribute__((noinline)) int AddTimedSlowly(geckoprof_marker_site* site, uint32_t phase, geckoprof_time start,
                                             geckoprof_time end, uintptr_t caller_sp) {
  const Place place;
  if (place.slot == nullptr) return kNotRecorded;
  TimedMarker marker;
  marker.phase = phase;
  marker.start = start;
  marker.end = end;
  return Add(place, *site, marker, caller_sp);
}

constexpr uint8_t TimesOf(uint32_t phase) { return static_cast<uint8_t>(phase | (phase == 1 ? 0 : kMarkerHasOneTime)); }

template <uint32_t kPhase>
__attribute__((always_inline)) inline int AddTimed(geckoprof_marker_site* site, geckoprof_time start,
                                                   geckoprof_time end, uintptr_t caller_sp) {
  const QuickPlace place;
  const bool is_put = place.slot != nullptr && place.slot->markers.TryPut(place.segment, Registered(*site),
                                                                          TimesOf(kPhase), start, end, caller_sp);
  return is_put ? kAdded : AddTimedSlowly(site, kPhase, start, end, caller_sp);
}

// Whether geckoprof_base_time is what the counter says.
bool TimeIsCounters() { return __builtin_expect(ForkSafeClock().load(std::memory_order_relaxed) != 0, 1); }

// Twice the same, for a constant number of times each: what it keeps fits the registers that need no saving.
__attribute__((always_inline)) inline uint8_t* TryBegin(const QuickPlace& place, geckoprof_marker_site& site,
                                                        uint32_t phase, geckoprof_time start, geckoprof_time end,
                                                        size_t payload_bytes, uintptr_t caller_sp) {
  MarkerWriter& markers = place.slot->markers;
  const uint64_t registered = Registered(site);
  if (phase == 1) {
    return markers.TryBegin(place.segment, registered, TimesOf(1), start, end, payload_bytes, caller_sp);
  }
  const geckoprof_time time = phase == 3 ? end : start;
  return markers.TryBegin(place.segment, registered, TimesOf(phase), time, time, payload_bytes, caller_sp);
}

// TryBegin, after the marker that is under way was dropped, if it is abandoned. The slow way would not find that out,
// since it goes through a function of the headers, farther in. It has six arguments, so that the quick way saves none.
__attribute__((noinline)) uint8_t* BeginAgain(geckoprof_marker_site* site, uint32_t phase, geckoprof_time start,
                                              geckoprof_time end, uint32_t payload_bytes, uintptr_t caller_sp) {
  const QuickPlace place;
  if (place.slot == nullptr || place.segment == nullptr) return nullptr;
  const bool is_under_way = place.slot->markers.under_way_at() != 0;
  if (is_under_way && !MarkerInProgress::DropAbandoned(*place.segment, *place.slot, caller_sp)) return nullptr;
  return TryBegin(place, *site, phase, start, end, payload_bytes, caller_sp);
}

// False: outer frames are missing.
bool CaptureStack(const Place& place, const geckoprof_marker_options& options, const CallerFrame& caller,
                  CapturedStack& stack) {
  if (options.stack != nullptr) {
    return options.stack->size_bytes >= offsetof(geckoprof_stack, monotonic_ns) && stack.Take(*options.stack);
  }
  const uint32_t features = place.segment->header().features;
  if ((features & (kFeatureNoMarkerStacks | kFeatureNoStackSampling)) != 0) return true;
  ThreadSlot& slot = *place.slot;
  const bool native = (options.flags & GECKOPROF_MARKER_WITH_STACK) != 0 && (features & kFeatureStackWalk) != 0;
  if (native && slot.marker_stack_memory == nullptr) slot.marker_stack_memory = MarkerStackMemory::New();
  const int32_t tid = slot.tid.load(std::memory_order_relaxed);
  RecordingState& core = RecordingState::Get();
  SamplerControl& control = core.control();
  const uint32_t unloads = control.unloads.load(std::memory_order_relaxed);
  StackRange range = core.StackOf(slot);
  MarkerStackMemory* const memory = slot.marker_stack_memory;
  if (native && memory != nullptr) {
    memory->BeginIn(place.segment->serial());
    if (range.high == 0 && !core.HasStoppedForGood()) range = memory->own_stack().Around(caller.sp, slot.published_ns);
  }
  return stack.Capture({tid, range, slot.labels, unloads, control.word, memory, options.skipped_frames}, caller,
                       native);
}

// Apart: on the marking thread's stack it takes some KiB.
__attribute__((noinline)) int AddWithStack(const Place& place, geckoprof_marker_site& site,
                                           const geckoprof_marker_options& options, TimedMarker& marker,
                                           const CallerFrame& caller) {
  const MarkerInProgress progress(place.segment, *place.slot, caller.sp);
  if (!progress) return kInterrupted;
  CapturedStack stack(PendingMarkerStacks::Get());
  if (!CaptureStack(place, options, caller, stack)) place.segment->CountDrop(DropReason::kMarkerStack);
  if (stack.labels_missing() > 0) place.segment->CountDrop(DropReason::kLabelOverflow, stack.labels_missing());
  marker.stack = stack.bytes();
  const int result = Put(place, site, marker);
  // A destructor of a library marks, whose code goes next.
  if (place.slot->unloading > 0) PendingMarkerStacks::Get().WaitUntilTaken(PendingMarkerStacks::kUnloadWaitNs);
  return result;
}

// Most texts: two words, which may overlap. False: it has another length.
bool CopyShort(uint8_t* to, const char* text, uint64_t text_bytes) {
  uint64_t first, last;
  if (text_bytes < sizeof first || text_bytes > 2 * sizeof first) return false;
  memcpy(&first, text, sizeof first);
  memcpy(&last, text + text_bytes - sizeof last, sizeof last);
  memcpy(to, &first, sizeof first);
  memcpy(to + text_bytes - sizeof last, &last, sizeof last);
  return true;
}

// Apart, so that the way of most has no call in it, and nothing to save.
__attribute__((noinline)) int CopyAndCommit(MarkerWriter& markers, uint8_t* to, uint32_t tail, const char* text,
                                            uint64_t text_bytes) {
  memcpy(to + 1, text, text_bytes);
  markers.Commit({to, tail});
  return 1;
}

// A text that is no instant, or the quick way did not take; the text's length stands above the phase's two bits.
__attribute__((noinline)) int AddOtherText(geckoprof_marker_site* site, uint32_t bytes_and_phase, geckoprof_time start,
                                           geckoprof_time end, const char* text, uintptr_t caller_sp) {
  const uint32_t text_bytes = bytes_and_phase >> 2;
  uint8_t* const to = BeginAgain(site, bytes_and_phase & 3, start, end, 1 + text_bytes, caller_sp);
  if (to == nullptr) return 0;
  *to = static_cast<uint8_t>(text_bytes);
  if (!CopyShort(to + 1, text, text_bytes)) memcpy(to + 1, text, text_bytes);
  ThreadSlots::Known()->markers.Commit();
  return 1;
}

__attribute__((always_inline)) inline int AddText(geckoprof_marker_site* site, geckoprof_time time, const char* text,
                                                  uint64_t text_bytes, uintptr_t caller_sp) {
  const QuickPlace place;
  if (place.slot == nullptr) return 0;
  MarkerWriter& markers = place.slot->markers;
  const StreamWriter::Reserved block =
      markers.TryReserve(place.segment, Registered(*site), TimesOf(0), time, time, 1 + text_bytes, caller_sp);
  if (__builtin_expect(block.to == nullptr, 0)) {
    return AddOtherText(site, static_cast<uint32_t>(text_bytes << 2), time, time, text, caller_sp);
  }
  *block.to = static_cast<uint8_t>(text_bytes);
  if (!CopyShort(block.to + 1, text, text_bytes)) return CopyAndCommit(markers, block.to, block.tail, text, text_bytes);
  markers.Commit(block);
  return 1;
}

// Without the counter, whose asking is a call: apart, so that the quick ways have nothing to save.
__attribute__((noinline)) int AddInstantByClock(geckoprof_marker_site* site, uintptr_t caller_sp) {
  const geckoprof_time now = geckoprof_base_time();
  return AddTimed<0>(site, now, now, caller_sp);
}
__attribute__((noinline)) int AddScopeByClock(geckoprof_marker_site* site, geckoprof_time start, uintptr_t caller_sp) {
  return AddTimed<1>(site, start, geckoprof_base_time(), caller_sp);
}
__attribute__((noinline)) int AddTextByClock(geckoprof_marker_site* site, const char* text, uint64_t text_bytes,
                                             uintptr_t caller_sp) {
  return AddText(site, geckoprof_base_time(), text, text_bytes, caller_sp);
}

bool IsTooLarge(const Segment& segment, const TimedMarker& marker) {
  size_t bytes = marker.stack.size();
  for (const auto& piece : marker.payload) bytes += piece.size();
  return bytes > segment.chunk_bytes() / 2;
}

// What the options of programs that were built with older headers have.
constexpr uint32_t kLeastOptionBytes = offsetof(geckoprof_marker_options, flow);

MarkerFlowOption FlowOf(const geckoprof_marker_options& options) {
  const bool has_flow =
      (options.flags & GECKOPROF_MARKER_HAS_FLOW) != 0 && options.size_bytes > offsetof(geckoprof_marker_options, flow);
  if (!has_flow) return {};
  return {
      options.flow,
      static_cast<uint8_t>(kMarkerHasFlow | ((options.flags & GECKOPROF_MARKER_ENDS_FLOW) != 0 ? kMarkerEndsFlow : 0))};
}

bool MakesSense(const geckoprof_marker_site* site, const geckoprof_marker_options* options,
                const geckoprof_piece* payload, uint32_t piece_count) {
  return MarkerTypeRegistry::IsWhole(site) && options != nullptr && options->size_bytes >= kLeastOptionBytes &&
         options->phase <= kLastPhase && (site->name != nullptr || options->name != nullptr) &&
         piece_count <= MarkerWriter::kMostPieces && (piece_count == 0 || payload != nullptr);
}

// Apart for few pieces, so that most markers take little of the marking thread's stack.
template <size_t kMostPieces>
__attribute__((noinline)) int AddOptioned(const Place& place, geckoprof_marker_site& site,
                                          const geckoprof_marker_options& options,
                                          std::span<const geckoprof_piece> payload, const CallerFrame& caller) {
  std::array<std::span<const uint8_t>, kMostPieces> pieces;
  for (size_t i = 0; i < payload.size(); ++i) {
    pieces[i] = {static_cast<const uint8_t*>(payload[i].bytes), payload[i].size_bytes};
  }
  TimedMarker marker;
  marker.phase = options.phase;
  marker.start = options.start;
  marker.end = options.end;
  marker.about = ThreadId::FromNumber(options.thread < 0 ? 0 : options.thread);
  if (site.name == nullptr) marker.name = {options.name, options.name_bytes};
  if ((options.flags & GECKOPROF_MARKER_HAS_CATEGORY) != 0) marker.category_pair = options.category_pair;
  marker.flow = FlowOf(options);
  marker.payload = std::span(pieces).first(payload.size());
  const bool name_is_cut = marker.name.size() > MarkerWriter::kLargestNameBytes;
  if (name_is_cut || (options.flags & GECKOPROF_MARKER_WAS_CUT) != 0) place.segment->CountDrop(DropReason::kTextCut);
  const bool captures = (options.flags & (GECKOPROF_MARKER_WITH_STACK | GECKOPROF_MARKER_WITH_LABELS)) != 0;
  const int result = options.stack != nullptr || captures ? AddWithStack(place, site, options, marker, caller)
                                                          : Add(place, site, marker, caller.sp);
  return result == kNoRoom && IsTooLarge(*place.segment, marker) ? kTooLarge : result;
}

}  // namespace
}  // namespace geckoprof

GECKOPROF_EXPORT int geckoprof_base_add_scope(geckoprof_marker_site* site, geckoprof_time start, geckoprof_time end) {
  return geckoprof::AddTimed<1>(site, start, end, geckoprof::CallerStackPointer());
}

GECKOPROF_EXPORT int geckoprof_base_add_scope_from(geckoprof_marker_site* site, geckoprof_time start) {
  using namespace geckoprof;
  const uintptr_t caller_sp = CallerStackPointer();
  if (!TimeIsCounters()) return AddScopeByClock(site, start, caller_sp);
  return AddTimed<1>(site, start, geckoprof_base_counter_time(), caller_sp);
}

GECKOPROF_EXPORT int geckoprof_base_add_instant(geckoprof_marker_site* site, geckoprof_time time) {
  return geckoprof::AddTimed<0>(site, time, time, geckoprof::CallerStackPointer());
}

GECKOPROF_EXPORT int geckoprof_base_add_instant_now(geckoprof_marker_site* site) {
  using namespace geckoprof;
  const uintptr_t caller_sp = CallerStackPointer();
  if (!TimeIsCounters()) return AddInstantByClock(site, caller_sp);
  const geckoprof_time now = geckoprof_base_counter_time();
  return AddTimed<0>(site, now, now, caller_sp);
}

GECKOPROF_EXPORT int geckoprof_base_add_marker(geckoprof_marker_site* site, const geckoprof_marker_options* options,
                                               const geckoprof_piece* payload, uint32_t piece_count) {
  using namespace geckoprof;
  const Place place;
  if (!MakesSense(site, options, payload, piece_count)) {
    if (place.segment != nullptr) place.segment->CountDrop(DropReason::kBadMarker);
    return kNonsense;
  }
  if (place.slot == nullptr) return kNotRecorded;
  const auto* const frame = static_cast<const uintptr_t*>(__builtin_frame_address(0));
  const CallerFrame caller = {reinterpret_cast<uint64_t>(__builtin_return_address(0)), CallerStackPointer(), frame[0]};
  const std::span<const geckoprof_piece> given(payload, piece_count);
  constexpr size_t kFewPieces = 8;
  return piece_count <= kFewPieces ? AddOptioned<kFewPieces>(place, *site, *options, given, caller)
                                   : AddOptioned<MarkerWriter::kMostPieces>(place, *site, *options, given, caller);
}

GECKOPROF_EXPORT void geckoprof_base_count_too_large() {
  const geckoprof::Segment* const segment = geckoprof::RecordingState::Get().RecordingSegment();
  if (segment != nullptr) segment->CountDrop(geckoprof::DropReason::kTooLarge);
}

static_assert(GECKOPROF_MOST_BYTES_IN_PLACE == geckoprof::MarkerWriter::kMostQuickPayloadBytes);

GECKOPROF_EXPORT void* geckoprof_base_begin_in_place(geckoprof_marker_site* site, uint32_t phase, geckoprof_time start,
                                                     geckoprof_time end, uint32_t payload_bytes) {
  using namespace geckoprof;
  const QuickPlace place;
  if (place.slot == nullptr || payload_bytes > MarkerWriter::kMostQuickPayloadBytes || phase > kLastPhase)
    return nullptr;
  const uintptr_t caller_sp = CallerStackPointer();
  uint8_t* const to = TryBegin(place, *site, phase, start, end, payload_bytes, caller_sp);
  return __builtin_expect(to != nullptr, 1) ? to : BeginAgain(site, phase, start, end, payload_bytes, caller_sp);
}

GECKOPROF_EXPORT int geckoprof_base_add_text(geckoprof_marker_site* site, uint32_t phase, geckoprof_time start,
                                             geckoprof_time end, const char* text, uint64_t text_bytes) {
  using namespace geckoprof;
  if (text_bytes >= MarkerWriter::kMostQuickPayloadBytes || phase > kLastPhase) return 0;
  const uintptr_t caller_sp = CallerStackPointer();
  if (phase != 0) {
    return AddOtherText(site, static_cast<uint32_t>(text_bytes << 2 | phase), start, end, text, caller_sp);
  }
  return AddText(site, start, text, text_bytes, caller_sp);
}

GECKOPROF_EXPORT int geckoprof_base_add_text_now(geckoprof_marker_site* site, const char* text, uint64_t text_bytes) {
  using namespace geckoprof;
  if (text_bytes >= MarkerWriter::kMostQuickPayloadBytes) return 0;
  const uintptr_t caller_sp = CallerStackPointer();
  if (!TimeIsCounters()) return AddTextByClock(site, text, text_bytes, caller_sp);
  return AddText(site, geckoprof_base_counter_time(), text, text_bytes, caller_sp);
}

GECKOPROF_EXPORT void geckoprof_base_end_in_place() { geckoprof::ThreadSlots::Known()->markers.Commit(); }

// Not a secret: the process's number, and the time at which it, or what it was forked from, began. Nobody is asked for
// the number: of a child that nobody prepared, which records nothing, it is the parent's.
GECKOPROF_EXPORT uint64_t geckoprof_base_process_salt() {
  using namespace geckoprof;
  const RecordingState& core = RecordingState::Get();
  return MixBits(static_cast<uint64_t>(core.constructor_ns()) ^ static_cast<uint64_t>(core.pid().ToNumber()) << 40);
}
