// baseprofiler/c/geckoprof_markers.h.
#include <cstddef>
#include <string_view>

#include "baseprofiler/c/geckoprof_markers.h"
#include "baseprofiler/detail/marker_type_description.h"
#include "baseprofiler/detail/payload.h"
#include "baseprofiler/detail/payload_in_place.h"
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

constexpr uint32_t kLastPhase = 3;
constexpr uint32_t kLeastOptionBytes = offsetof(geckoprof_marker_options, name);  // what every version has

// What is not said is now.
void SetTimes(geckoprof_marker_options& options) {
  if (options.phase == 3 && options.end == 0) options.end = options.start;
  geckoprof_time& last = options.phase == 1 || options.phase == 3 ? options.end : options.start;
  if (last == 0) last = geckoprof_base_time();
  if (options.phase == 1 && options.start == 0) options.start = options.end;
}

// False: no structure, or a phase that there is not.
bool Complete(const geckoprof_marker_options* given, geckoprof_marker_options& options) {
  if (given == nullptr) {
    options = {};
    options.size_bytes = sizeof(options);
  } else if (!Options::Read(given, kLeastOptionBytes, Options::Surplus::kIgnored, options)) {
    return false;
  }
  if (options.phase > kLastPhase) return false;
  SetTimes(options);
  return true;
}

// A short payload of the calling thread's goes straight to where it is to lie. False: not so this one.
bool MarkInPlace(geckoprof_marker_site& site, const geckoprof_marker_options& options, const MarkerValues& values) {
  const bool is_plain = options.thread == 0 && options.flags == 0 && options.stack == nullptr;
  if (!is_plain || site.name == nullptr || !values.HaveFixedSizes()) return false;
  internal::PayloadSize size;
  values.WriteTo(size);
  if (size.bytes() > GECKOPROF_MOST_BYTES_IN_PLACE) return false;
  void* const to = geckoprof_base_begin_in_place(&site, options.phase, options.start, options.end,
                                                 static_cast<uint32_t>(size.bytes()));
  if (to == nullptr) return false;
  internal::PayloadInPlace payload(to);
  values.WriteTo(payload);
  geckoprof_base_end_in_place();
  return true;
}

// Apart, so that who marks has the room on its stack that its own payload needs.
template <size_t kMostFields, bool kHasLists>
__attribute__((noinline)) int MarkPieces(geckoprof_marker_site& site, geckoprof_marker_options& options,
                                         const MarkerValues& values) {
  internal::Payload<kMostFields, 2 * kMostFields + 1, kHasLists> payload;
  values.WriteTo(payload);
  const geckoprof_piece* const pieces = payload.Finish();
  if (payload.was_cut()) options.flags |= GECKOPROF_MARKER_WAS_CUT;
  return geckoprof_base_add_marker(&site, &options, pieces, payload.piece_count());
}

int Mark(geckoprof_marker_site& site, geckoprof_marker_options& options, const MarkerValues& values) {
  constexpr size_t kFewFields = 8;
  if (site.type != nullptr && MarkInPlace(site, options, values)) return GECKOPROF_MARKED;
  return values.count() <= kFewFields && values.HaveFixedSizes()
             ? MarkPieces<kFewFields, false>(site, options, values)
             : MarkPieces<GECKOPROF_MOST_FIELDS, true>(site, options, values);
}

constinit geckoprof_marker_site g_text_site = {sizeof(geckoprof_marker_site), kOtherCategory << 8, nullptr,
                                               internal::ConstantTypeOf<markers::Text>(), 0};

// What lies at `place`, or else what `declare` gives, which then lies there. One thread's answer is any other's.
template <typename Kind, typename Declare>
Kind* Once(Kind** place, const Declare& declare) {
  Kind* const known = place == nullptr ? nullptr : __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (known != nullptr) return known;
  Kind* const declared = declare();
  if (place != nullptr && declared != nullptr) __atomic_store_n(place, declared, __ATOMIC_RELEASE);
  return declared;
}

// The macros drop the answer: the profile says how many there were.
__attribute__((noinline, cold)) int RefuseMarker() {
  if (const Segment* const segment = RecordingState::Get().RecordingSegment())
    segment->CountDrop(DropReason::kBadMarker);
  return GECKOPROF_BAD_ARGUMENT;
}

// Counts a marker of any other.
bool TakesMarkersWithoutPayload(const geckoprof_site* site) {
  if (site != nullptr && site->kind.type == nullptr) return true;
  RefuseMarker();
  return false;
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
  const geckoprof::MarkerValues given(site->kind.type, {values, count});
  if (!given.Fit() || !geckoprof::Complete(options, completed)) return geckoprof::RefuseMarker();
  return geckoprof::Mark(site->kind, completed, given);
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

GECKOPROF_EXPORT void geckoprof_base_mark_scope(geckoprof_site* site, geckoprof_time start, geckoprof_time end) {
  if (!geckoprof::TakesMarkersWithoutPayload(site)) return;
  const geckoprof_time last = end == 0 ? geckoprof_base_time() : end;
  geckoprof_base_add_scope(&site->kind, start == 0 ? last : start, last);
}

GECKOPROF_EXPORT void geckoprof_base_mark_instant(geckoprof_site* site, geckoprof_time time) {
  if (!geckoprof::TakesMarkersWithoutPayload(site)) return;
  geckoprof_base_add_instant(&site->kind, time == 0 ? geckoprof_base_time() : time);
}
