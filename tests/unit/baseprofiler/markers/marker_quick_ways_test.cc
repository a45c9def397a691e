// The C functions that write a marker where it is to lie, in the whole library: each case records in a forked child.
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

// A type that has a text and nothing else.
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

// Of the thread's markers, the first of which registered the site: one of each phase, from `start` or to `end`.
bool AreOfEachPhase(const MarkerList& markers, int64_t start, int64_t end) {
  if (markers.size() != 5) return false;
  bool right = true;
  for (size_t phase = 0; phase < 4; ++phase) {
    const MarkerRow& marker = markers[1 + phase];
    right = right && marker.phase == static_cast<MarkerPhase>(phase) && (phase == 3 || marker.start_ns == start) &&
            (phase == 0 || phase == 2 || marker.end_ns == end);
  }
  return right;
}

TEST_CASE("what goes the quick ways has the phase and the times that were given") {
  const bool as_text = GENERATE(false, true);
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const auto start = static_cast<geckoprof_time>(geckoprof_base_now()), end = start + 7;
          OneText type;
          geckoprof_marker_site site = Site("s", &type.type);
          const geckoprof_marker_options options = At(0, start, end);
          const geckoprof_piece piece = {"\x01t", 2};
          FORKED_REQUIRE(geckoprof_base_add_marker(&site, &options, &piece, 1) == 0);
          for (uint32_t phase = 0; phase < 4; ++phase) {
            if (as_text) {
              FORKED_REQUIRE(geckoprof_base_add_text(&site, phase, start, end, "t", 1) == 1);
            } else {
              void* const to = geckoprof_base_begin_in_place(&site, phase, start, end, 2);
              FORKED_REQUIRE(to != nullptr);
              memcpy(to, piece.bytes, 2);
              geckoprof_base_end_in_place();
            }
          }
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          const ProcessProfile profile = folder.Read(getpid());
          bool found = false;
          for (const ThreadRow& thread : profile.threads) {
            found = found || AreOfEachPhase(thread.markers, static_cast<int64_t>(start), static_cast<int64_t>(end));
          }
          FORKED_REQUIRE(found);
          return 0;
        }) == 0);
}

TEST_CASE("a marker of one text goes in one call where it can") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          OneText type;
          geckoprof_marker_site site = Site("s", &type.type);
          FORKED_REQUIRE(geckoprof_base_add_text(&site, 0, 5, 5, "early", 5) == 0);  // not registered yet
          const geckoprof_marker_options options = At(0, 5, 5);
          const geckoprof_piece piece = {
              "\x05"
              "first",
              6};
          FORKED_REQUIRE(geckoprof_base_add_marker(&site, &options, &piece, 1) == 0);
          const std::string longest(99, 'x');
          FORKED_REQUIRE(geckoprof_base_add_text(&site, 0, 5, 5, longest.data(), longest.size()) == 1);
          FORKED_REQUIRE(geckoprof_base_add_text(&site, 1, 5, 6, "", 0) == 1);
          FORKED_REQUIRE(geckoprof_base_add_text(&site, 0, 5, 5, longest.data(), longest.size() + 1) == 0);
          FORKED_REQUIRE(geckoprof_base_add_text(&site, 4, 5, 5, "t", 1) == 0);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          const ProcessProfile profile = folder.Read(getpid());
          FORKED_REQUIRE(CountMarkers(profile, "s") == 3);
          std::vector<std::string> texts;
          for (const ThreadRow& thread : profile.threads) {
            for (const MarkerRow& marker : thread.markers) {
              texts.push_back(profile.strings[static_cast<size_t>(marker.fields.at(0).text)]);
            }
          }
          FORKED_REQUIRE((texts == std::vector<std::string>{"first", longest, ""}));
          return 0;
        }) == 0);
}

TEST_CASE("what is marked now is at the time of the call, by the counter and without it") {
  const uint32_t by_counter = GENERATE(0u, 1u);
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          OneText type;
          geckoprof_marker_site text = Site("now", &type.type), plain = Site("now");
          FORKED_REQUIRE(geckoprof_base_add_text_now(&text, "early", 5) == 0);  // not registered yet
          const geckoprof_marker_options options = At(0, 5, 5);
          const geckoprof_piece piece = {"\x01t", 2};
          FORKED_REQUIRE(geckoprof_base_add_marker(&text, &options, &piece, 1) == 0);
          ForkSafeClock().store(by_counter);
          const int64_t before_ns = geckoprof_base_now();
          FORKED_REQUIRE(geckoprof_base_add_text_now(&text, "t", 1) == 1);
          FORKED_REQUIRE(geckoprof_base_add_instant_now(&plain) == 0);
          FORKED_REQUIRE(geckoprof_base_add_scope_from(&plain, static_cast<geckoprof_time>(before_ns)) == 0);
          const int64_t after_ns = geckoprof_base_now();
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          const ProcessProfile profile = folder.Read(getpid());
          FORKED_REQUIRE(CountMarkers(profile, "now") == 4);
          const auto is_in_between = [&](int64_t time_ns) {
            return time_ns >= before_ns - kNsPerMs && time_ns <= after_ns + kNsPerMs;
          };
          for (const ThreadRow& thread : profile.threads) {
            for (const MarkerRow& marker : thread.markers) {
              const bool is_first = marker.start_ns == 5;
              FORKED_REQUIRE((is_first || (is_in_between(marker.start_ns) && is_in_between(marker.end_ns))));
              FORKED_REQUIRE((marker.phase != MarkerPhase::kInterval || marker.start_ns == before_ns));
            }
          }
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
