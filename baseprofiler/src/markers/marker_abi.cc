// baseprofiler/marker_abi.h.
#include "baseprofiler/marker_abi.h"

#include <array>
#include <span>

#include "core/profiler_core.h"
#include "geckoprof/base/hash_mix.h"
#include "markers/marker_kinds.h"
#include "process/process_control.h"

#define GECKOPROF_EXPORT extern "C" __attribute__((visibility("default")))

namespace geckoprof {
namespace {

enum AddResult : int { kAdded = 0, kNotRecorded = 1, kNoRoom = 2, kTooLarge = 3, kInterrupted = 4, kNonsense = 5 };

constexpr uint32_t kLastPhase = 3;

// Others may be registering it just now.
uint64_t Registered(const geckoprof_marker_site& site) { return __atomic_load_n(&site.registered, __ATOMIC_RELAXED); }

// The calling thread's slot, when something is recorded.
struct Place {
  const Segment* segment = ProfilerCore::Get().RecordingSegment();
  ThreadSlot* slot = segment == nullptr ? nullptr : ProfilerCore::Get().slots().Current();
};

int Add(const Place& place, geckoprof_marker_site& site, TimedMarker& marker) {
  MarkerWriter& markers = place.slot->markers;
  if (!markers.Enter(place.segment)) return kInterrupted;
  int result = kNoRoom;
  const uint64_t word = MarkerKinds::SiteWord(*place.segment, site);
  if (word != 0) {
    marker.site = static_cast<uint32_t>(word);
    const ThreadId tid = ThreadId::FromNumber(place.slot->tid.load(std::memory_order_relaxed));
    if (markers.Put(tid, marker)) result = kAdded;
  }
  markers.Exit();
  return result;
}

int AddTimed(geckoprof_marker_site* site, uint32_t phase, geckoprof_time start, geckoprof_time end) {
  const Place place;
  if (place.slot == nullptr) return kNotRecorded;
  const uint8_t flags = static_cast<uint8_t>(phase | (phase == 1 ? 0 : kMarkerHasOneTime));
  if (place.slot->markers.TryPut(place.segment, Registered(*site), flags, start, end)) return kAdded;
  TimedMarker marker;
  marker.phase = phase;
  marker.start = start;
  marker.end = end;
  return Add(place, *site, marker);
}

bool MakesSense(const geckoprof_marker_site* site, const geckoprof_marker_options* options,
                const geckoprof_piece* payload, uint32_t piece_count) {
  return MarkerKinds::IsWhole(site) && options != nullptr && options->size_bytes >= sizeof(*options) &&
         options->phase <= kLastPhase && (site->name != nullptr || options->name != nullptr) &&
         piece_count <= MarkerWriter::kMostPieces && (piece_count == 0 || payload != nullptr);
}

}  // namespace
}  // namespace geckoprof

GECKOPROF_EXPORT void geckoprof_base_add_scope(geckoprof_marker_site* site, geckoprof_time start, geckoprof_time end) {
  geckoprof::AddTimed(site, 1, start, end);
}

GECKOPROF_EXPORT void geckoprof_base_add_instant(geckoprof_marker_site* site, geckoprof_time time) {
  geckoprof::AddTimed(site, 0, time, time);
}

GECKOPROF_EXPORT int geckoprof_base_add_marker(geckoprof_marker_site* site, const geckoprof_marker_options* options,
                                               const geckoprof_piece* payload, uint32_t piece_count) {
  using namespace geckoprof;
  if (!MakesSense(site, options, payload, piece_count)) return kNonsense;
  const Place place;
  if (place.slot == nullptr) return kNotRecorded;
  std::array<std::span<const uint8_t>, MarkerWriter::kMostPieces> pieces;
  size_t bytes = 0;
  for (uint32_t i = 0; i < piece_count; ++i) {
    pieces[i] = {static_cast<const uint8_t*>(payload[i].bytes), payload[i].size_bytes};
    bytes += payload[i].size_bytes;
  }
  TimedMarker marker;
  marker.phase = options->phase;
  marker.start = options->start;
  marker.end = options->end;
  marker.about = ThreadId::FromNumber(options->thread);
  if (site->name == nullptr) marker.name = {options->name, options->name_bytes};
  if ((options->flags & GECKOPROF_MARKER_HAS_CATEGORY) != 0) marker.category_pair = options->category_pair;
  marker.payload = std::span(pieces).first(piece_count);
  const bool name_is_cut = marker.name.size() > MarkerWriter::kLargestNameBytes;
  if (name_is_cut || (options->flags & GECKOPROF_MARKER_WAS_CUT) != 0) place.segment->CountDrop(DropReason::kTextCut);
  const int result = Add(place, *site, marker);
  return result == kNoRoom && bytes > place.segment->chunk_bytes() / 2 ? kTooLarge : result;
}

GECKOPROF_EXPORT void geckoprof_base_count_too_large() {
  const geckoprof::Segment* const segment = geckoprof::ProfilerCore::Get().RecordingSegment();
  if (segment != nullptr) segment->CountDrop(geckoprof::DropReason::kTooLarge);
}

static_assert(GECKOPROF_MOST_BYTES_IN_PLACE == geckoprof::MarkerWriter::kMostQuickPayloadBytes);

GECKOPROF_EXPORT void* geckoprof_base_begin_in_place(geckoprof_marker_site* site, uint32_t phase, geckoprof_time start,
                                                     geckoprof_time end, uint32_t payload_bytes) {
  using namespace geckoprof;
  const Place place;
  if (place.slot == nullptr || payload_bytes > MarkerWriter::kMostQuickPayloadBytes || phase > kLastPhase)
    return nullptr;
  const uint8_t flags = static_cast<uint8_t>(phase | (phase == 1 ? 0 : kMarkerHasOneTime));
  return place.slot->markers.TryBegin(place.segment, Registered(*site), flags, phase == 3 ? end : start, end,
                                      payload_bytes);
}

GECKOPROF_EXPORT void geckoprof_base_end_in_place() { geckoprof::ThreadSlots::Known()->markers.Commit(); }

// Not a secret: the process's number, and the time at which it, or what it was forked from, began.
GECKOPROF_EXPORT uint64_t geckoprof_base_process_salt() {
  using namespace geckoprof;
  const auto pid = static_cast<uint64_t>(CurrentProcess().ToNumber());
  return MixBits(static_cast<uint64_t>(ProfilerCore::Get().constructor_ns()) ^ pid << 40);
}
