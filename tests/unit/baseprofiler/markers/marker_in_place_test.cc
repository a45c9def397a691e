// Markers that are begun and ended in place, in the whole library: each case records in a forked child.
#include <string.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "marker_abi_case.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

// A type with one field, a text.
struct OneText {
  OneText() {
    type.size_bytes = sizeof type;
    type.name = "T";
    type.fields = &field;
    type.field_count = 1;
  }
  geckoprof_marker_field field = {"t", "T", "string", GECKOPROF_FIELD_STRING, 0};
  geckoprof_marker_type type{};
};

// A marker with a text. False: it is not recorded.
bool MarkText(geckoprof_marker_site& site, uint32_t flags, geckoprof_time start, geckoprof_time time,
              std::string_view text) {
  const auto bytes = static_cast<uint32_t>(text.size());
  auto* const to = static_cast<uint8_t*>(geckoprof_base_begin_in_place(&site, flags, start, time, 1 + bytes));
  if (to == nullptr) return false;
  to[0] = static_cast<uint8_t>(bytes);
  memcpy(to + 1, text.data(), bytes);
  geckoprof_base_end_in_place(0);
  return true;
}

std::vector<MarkerRow> MarkersOf(const ProcessProfile& profile) {
  std::vector<MarkerRow> markers;
  for (const ThreadRow& thread : profile.threads) {
    markers.insert(markers.end(), thread.markers.begin(), thread.markers.end());
  }
  return markers;
}

TEST_CASE("a marker in place has its phase, its times and its payload, from the first one on") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const auto start = static_cast<geckoprof_time>(geckoprof_base_now()), end = start + 7;
          OneText type;
          geckoprof_marker_site site = Site("s", &type.type);
          // The first one registers the site and takes a chunk.
          for (uint32_t phase = 0; phase < 4; ++phase) FORKED_REQUIRE(MarkText(site, phase, start, end, "text"));
          const std::string longest(GECKOPROF_MOST_BYTES_IN_PLACE - 1, 'x');
          FORKED_REQUIRE(MarkText(site, 0, 0, end, longest) && MarkText(site, 1, start, end, ""));
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          const ProcessProfile profile = folder.Read(getpid());
          const std::vector<MarkerRow> markers = MarkersOf(profile);
          FORKED_REQUIRE(markers.size() == 6 && CountMarkers(profile, "s") == 6);
          const auto text = [&](size_t i) {
            return profile.strings[static_cast<size_t>(markers[i].fields.at(0).text)];
          };
          for (size_t phase = 0; phase < 4; ++phase) {
            FORKED_REQUIRE(markers[phase].phase == static_cast<MarkerPhase>(phase) && text(phase) == "text");
            const auto its_start = static_cast<int64_t>(phase == 1 ? start : end);
            FORKED_REQUIRE(markers[phase].start_ns == its_start);
            FORKED_REQUIRE(markers[phase].end_ns == static_cast<int64_t>(end));
          }
          FORKED_REQUIRE(text(4) == longest && text(5).empty());
          return 0;
        }) == 0);
}

TEST_CASE("markers in place go on from chunk to chunk") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          geckoprof_marker_site site = Site("s");
          const uint32_t count = 2 * RecordingState::Get().RecordingSegment()->chunk_bytes() / 16;
          for (uint32_t i = 0; i < count; ++i) FORKED_REQUIRE(MarkInstant(site, 5));
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          FORKED_REQUIRE(CountMarkers(folder.Read(getpid()), "s") == count);
          return 0;
        }) == 0);
}

TEST_CASE("a marker that is now has the time of the call, by the counter and without it") {
  const uint32_t by_counter = GENERATE(0u, 1u);
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          OneText type;
          geckoprof_marker_site site = Site("now", &type.type), plain = Site("now");
          ForkSafeClock().store(by_counter);
          const int64_t before_ns = geckoprof_base_now();
          FORKED_REQUIRE(MarkText(site, GECKOPROF_MARKER_NOW, 0, 5, "the time that is given is not used"));
          FORKED_REQUIRE(MarkText(site, GECKOPROF_MARKER_INTERVAL | GECKOPROF_MARKER_NOW,
                                  static_cast<geckoprof_time>(before_ns), 5, ""));
          geckoprof_marker_options options = At(GECKOPROF_MARKER_INTERVAL_END | GECKOPROF_MARKER_NOW, 5, 5);
          FORKED_REQUIRE(geckoprof_base_add_marker(&plain, &options, nullptr, 0) == 0);
          const int64_t after_ns = geckoprof_base_now();
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          const std::vector<MarkerRow> markers = MarkersOf(folder.Read(getpid()));
          FORKED_REQUIRE(markers.size() == 3);
          for (const MarkerRow& marker : markers) {
            FORKED_REQUIRE(marker.end_ns >= before_ns - kNsPerMs && marker.end_ns <= after_ns + kNsPerMs);
            FORKED_REQUIRE(marker.phase != MarkerPhase::kInterval || marker.start_ns == before_ns);
          }
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
