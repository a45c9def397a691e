// The C API of markers (baseprofiler/c/geckoprof_markers.h). It checks values and calls the three functions of
// marker_abi.h.
#include <cstddef>
#include <string_view>

#include "baseprofiler/c/geckoprof_markers.h"
#include "baseprofiler/detail/marker_type_description.h"
#include "baseprofiler/detail/payload.h"
#include "baseprofiler/marker_types.h"
#include "geckoprof/base/sized_struct.h"
#include "geckoprof/labels/builtin_categories.h"
#include "markers/marker_values.h"
#include "markers/runtime_marker_types.h"
#include "recording/recording_state.h"
#include "runtime/exported_function.h"

namespace geckoprof {
namespace {

using Options = SizedStruct<geckoprof_marker_options>;

constexpr uint32_t kLeastOptionBytes = offsetof(geckoprof_marker_options, name);

// A marker that is now is dated here, since an interval may begin when it ends.
void SetTimes(geckoprof_marker_options& options) {
  if ((options.flags & GECKOPROF_MARKER_NOW) != 0 || options.time == 0) options.time = geckoprof_base_time();
  options.flags &= ~GECKOPROF_MARKER_NOW;
  if (options.start == 0) options.start = options.time;
}

// False: it is no whole structure.
bool Complete(const geckoprof_marker_options* given, geckoprof_marker_options& options) {
  if (given == nullptr) {
    options = {};
    options.size_bytes = sizeof(options);
  } else if (!Options::Read(given, kLeastOptionBytes, Options::Surplus::kIgnored, options)) {
    return false;
  }
  SetTimes(options);
  return true;
}

// The bytes of a payload that can be written in place, or more than GECKOPROF_MOST_BYTES_IN_PLACE.
size_t BytesInPlace(const geckoprof_marker_site& site, const geckoprof_marker_options& options,
                    const MarkerValues& values) {
  const bool is_plain = options.thread == 0 && options.flags <= GECKOPROF_MARKER_PHASE && options.stack == nullptr;
  if (!is_plain || site.name == nullptr || !values.HaveFixedSizes()) return SIZE_MAX;
  internal::PayloadSize size;
  values.WriteTo(size);
  return size.bytes();
}

// The marker that was interrupted is still under way.
int BeginError() {
  const RecordingState& state = RecordingState::Get();
  if (!state.RecordsMarkers()) return GECKOPROF_NOT_RECORDING;
  const ThreadSlot* const slot = ThreadSlots::Known();
  return slot != nullptr && slot->markers.under_way_at() != 0 ? GECKOPROF_INTERRUPTED : GECKOPROF_NO_ROOM;
}

int MarkInPlace(geckoprof_marker_site& site, const geckoprof_marker_options& options, const MarkerValues& values,
                size_t payload_bytes) {
  void* const to = geckoprof_base_begin_in_place(&site, options.flags, options.start, options.time,
                                                 static_cast<uint32_t>(payload_bytes));
  if (to == nullptr) return BeginError();
  if (payload_bytes == 0) return GECKOPROF_MARKED;
  internal::PayloadInPlace payload(to);
  values.WriteTo(payload);
  geckoprof_base_end_in_place(0);
  return GECKOPROF_MARKED;
}

// A function for each size of payload, so that the marking thread's stack has the room that its own payload needs.
template <size_t kMaxFields, bool kHasLists>
__attribute__((noinline)) int MarkPieces(geckoprof_marker_site& site, geckoprof_marker_options& options,
                                         const MarkerValues& values) {
  internal::Payload<kMaxFields, 2 * kMaxFields + 1, kHasLists> payload;
  values.WriteTo(payload);
  const geckoprof_piece* const pieces = payload.Finish();
  if (payload.was_cut()) options.flags |= GECKOPROF_MARKER_WAS_CUT;
  return geckoprof_base_add_marker(&site, &options, pieces, payload.piece_count());
}

int Mark(geckoprof_marker_site& site, geckoprof_marker_options& options, const MarkerValues& values) {
  constexpr size_t kFewFields = 8;
  const size_t in_place = BytesInPlace(site, options, values);
  if (in_place <= GECKOPROF_MOST_BYTES_IN_PLACE) return MarkInPlace(site, options, values, in_place);
  return values.count() <= kFewFields && values.HaveFixedSizes()
             ? MarkPieces<kFewFields, false>(site, options, values)
             : MarkPieces<GECKOPROF_MOST_FIELDS, true>(site, options, values);
}

constinit geckoprof_marker_site g_text_site = {sizeof(geckoprof_marker_site), kOtherCategory << 8, nullptr,
                                               internal::ConstantTypeOf<markers::Text>(), 0};

// Returns the handle at `place`. If there is none, it stores the result of `declare` there. All threads get the same.
template <typename Kind, typename Declare>
Kind* Once(Kind** place, const Declare& declare) {
  Kind* const known = place == nullptr ? nullptr : __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (known != nullptr) return known;
  Kind* const declared = declare();
  if (place != nullptr && declared != nullptr) __atomic_store_n(place, declared, __ATOMIC_RELEASE);
  return declared;
}

// The macros drop the answer, so the profile counts these markers.
__attribute__((noinline, cold)) int RefuseMarker() {
  if (const Segment* const segment = RecordingState::Get().RecordingSegment())
    segment->CountDrop(DropReason::kBadMarker);
  return GECKOPROF_BAD_ARGUMENT;
}

}  // namespace
}  // namespace geckoprof

using geckoprof::RuntimeMarkerTypes;

GECKOPROF_EXPORT geckoprof_type* geckoprof_base_declare_type(geckoprof_type** place,
                                                             const geckoprof_marker_type* description) {
  return geckoprof::Once(place, [&] { return RuntimeMarkerTypes::Type(description); });
}

GECKOPROF_EXPORT const char* geckoprof_base_type_problem(const geckoprof_marker_type* description) {
  return RuntimeMarkerTypes::Problem(description);
}

GECKOPROF_EXPORT geckoprof_site* geckoprof_base_declare_site(geckoprof_site** place, const char* name,
                                                             uint32_t category, geckoprof_type* type) {
  return geckoprof::Once(place, [&] { return RuntimeMarkerTypes::Site(name, category, type); });
}

GECKOPROF_EXPORT int geckoprof_base_mark(geckoprof_site* site, const geckoprof_marker_options* options,
                                         const geckoprof_value* values, uint32_t count) {
  geckoprof_marker_options completed;
  if (site == nullptr) return geckoprof::RefuseMarker();
  const geckoprof::MarkerValues given(site->type, {values, count});
  if (!given.Fit() || !geckoprof::Complete(options, completed)) return geckoprof::RefuseMarker();
  return geckoprof::Mark(*site, completed, given);
}

GECKOPROF_EXPORT int geckoprof_base_mark_text(const char* name, uint32_t category,
                                              const geckoprof_marker_options* options, const char* text,
                                              uint64_t text_bytes) {
  geckoprof_marker_options completed;
  const geckoprof_value value = geckoprof_string_of(text, text_bytes);
  const geckoprof::MarkerValues given(geckoprof::g_text_site.type, {&value, 1});
  if (name == nullptr || !given.Fit() || !geckoprof::Complete(options, completed)) return geckoprof::RefuseMarker();
  completed.name = name;
  completed.name_bytes = std::string_view(name).size();
  if ((completed.flags & GECKOPROF_MARKER_HAS_CATEGORY) == 0) completed.category_pair = category;
  completed.flags |= GECKOPROF_MARKER_HAS_CATEGORY;
  return geckoprof::Mark(geckoprof::g_text_site, completed, given);
}
