// The C API's markers, in the whole library: each case records in a forked child.
#include <string.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "baseprofiler/c/geckoprof_base.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

geckoprof_marker_field g_fields[] = {{"n", "N", "integer", GECKOPROF_FIELD_INT64, 0},
                                     {"t", "T", "string", GECKOPROF_FIELD_STRING, GECKOPROF_FIELD_OPTIONAL}};
geckoprof_marker_type Description() {
  geckoprof_marker_type type{};
  type.size_bytes = sizeof type;
  type.name = "Two";
  type.fields = g_fields;
  type.field_count = 2;
  return type;
}

size_t CountMarkers(const ProcessProfile& profile, std::string_view name) {
  size_t count = 0;
  for (const ThreadRow& thread : profile.threads) {
    for (const MarkerRow& marker : thread.markers) {
      count += profile.strings[static_cast<size_t>(marker.name)] == name;
    }
  }
  return count;
}

TEST_CASE("a marker of the C API is recorded, and a wrong one has its answer") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          RecordingFolder::Load();
          const geckoprof_marker_type description = Description();
          geckoprof_type* type = nullptr;
          FORKED_REQUIRE(geckoprof_base_declare_type(&type, &description) != nullptr && type != nullptr);
          FORKED_REQUIRE(geckoprof_base_declare_type(&type, nullptr) == type);
          FORKED_REQUIRE(geckoprof_base_type_problem(&description) == nullptr);
          geckoprof_site* const site = geckoprof_base_declare_site(nullptr, "two", 256, type);
          geckoprof_site* const nameless = geckoprof_base_declare_site(nullptr, nullptr, 256, nullptr);
          geckoprof_site* const plain = geckoprof_base_declare_site(nullptr, "plain", 256, nullptr);
          const geckoprof_value values[] = {geckoprof_int64(-1), geckoprof_string("t")};
          const geckoprof_value wrong[] = {geckoprof_string("t"), geckoprof_string("t")};
          FORKED_REQUIRE(geckoprof_base_mark(site, nullptr, values, 2) == GECKOPROF_NOT_RECORDING);
          FORKED_REQUIRE(folder.Start());
          FORKED_REQUIRE(geckoprof_base_mark(site, nullptr, values, 2) == GECKOPROF_MARKED);
          FORKED_REQUIRE(geckoprof_base_mark(nullptr, nullptr, values, 2) == GECKOPROF_BAD_ARGUMENT);
          FORKED_REQUIRE(geckoprof_base_mark(site, nullptr, values, 1) == GECKOPROF_BAD_ARGUMENT);
          FORKED_REQUIRE(geckoprof_base_mark(site, nullptr, wrong, 2) == GECKOPROF_BAD_ARGUMENT);
          FORKED_REQUIRE(geckoprof_base_mark(site, nullptr, nullptr, 2) == GECKOPROF_BAD_ARGUMENT);
          FORKED_REQUIRE(geckoprof_base_mark(nameless, nullptr, nullptr, 0) == GECKOPROF_BAD_ARGUMENT);
          geckoprof_marker_options options = geckoprof_named(geckoprof_instant(), "named");
          FORKED_REQUIRE(geckoprof_base_mark(nameless, &options, nullptr, 0) == GECKOPROF_MARKED);
          options.flags = 1u << 31;
          FORKED_REQUIRE(geckoprof_base_mark(nameless, &options, nullptr, 0) == GECKOPROF_BAD_ARGUMENT);
          FORKED_REQUIRE(geckoprof_base_mark_text("text", 256, nullptr, "some", 4) == GECKOPROF_MARKED);
          FORKED_REQUIRE(geckoprof_base_mark_text(nullptr, 256, nullptr, "some", 4) == GECKOPROF_BAD_ARGUMENT);
          FORKED_REQUIRE(geckoprof_base_mark_text("text", 256, nullptr, nullptr, 4) == GECKOPROF_BAD_ARGUMENT);
          const Segment& segment = *RecordingState::Get().RecordingSegment();
          FORKED_REQUIRE(segment.header().drops[static_cast<uint32_t>(DropReason::kBadMarker)].load() == 8);
          FORKED_REQUIRE(geckoprof_base_mark(plain, nullptr, nullptr, 0) == GECKOPROF_MARKED);
          geckoprof_mark_now_(plain, GECKOPROF_MARKER_INTERVAL, geckoprof_base_time());
          geckoprof_mark_now_(nullptr, GECKOPROF_MARKER_INSTANT, 0);  // the site could not be declared
          FORKED_REQUIRE(segment.header().drops[static_cast<uint32_t>(DropReason::kBadMarker)].load() == 9);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          const ProcessProfile profile = folder.Read(getpid());
          FORKED_REQUIRE(CountMarkers(profile, "two") == 1 && CountMarkers(profile, "plain") == 2 &&
                         CountMarkers(profile, "named") == 1);
          FORKED_REQUIRE(CountMarkers(profile, "text") == 1);
          return 0;
        }) == 0);
}

MarkerRow FindMarker(const ProcessProfile& profile, std::string_view name) {
  for (const ThreadRow& thread : profile.threads) {
    for (const MarkerRow& marker : thread.markers) {
      if (profile.strings[static_cast<size_t>(marker.name)] == name) return marker;
    }
  }
  return {};
}

TEST_CASE("times that are left out are those that are given, and a text that is too long is cut and counted") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const geckoprof_time time = geckoprof_base_time();
          const auto mark = [](const char* name, const geckoprof_marker_options& options) {
            const geckoprof_marker_options named = geckoprof_named(options, name);
            static geckoprof_site* const nameless = geckoprof_base_declare_site(nullptr, nullptr, 256, nullptr);
            return geckoprof_base_mark(nameless, &named, nullptr, 0) == GECKOPROF_MARKED;
          };
          FORKED_REQUIRE(mark("instant", geckoprof_instant_at(time)));
          FORKED_REQUIRE(mark("without a start", geckoprof_interval(0, time)));
          const geckoprof_time later = geckoprof_base_time();
          geckoprof_marker_options end = geckoprof_interval_end();
          end.start = time;  // not used
          end.time = later;
          FORKED_REQUIRE(mark("later", geckoprof_instant_at(later)) && mark("end beside a start", end));
          const auto in_place = [](const char* name, const geckoprof_marker_options& options) {
            geckoprof_site* const site = geckoprof_base_declare_site(nullptr, name, 256, nullptr);
            return geckoprof_base_mark(site, &options, nullptr, 0) == GECKOPROF_MARKED;
          };
          FORKED_REQUIRE(in_place("end in place", end));
          FORKED_REQUIRE(in_place("instant of 0", geckoprof_instant_at(0)));
          FORKED_REQUIRE(in_place("scope of 0", geckoprof_interval(0, 0)));
          FORKED_REQUIRE(in_place("scope without a start", geckoprof_interval(0, later)));
          geckoprof_marker_options now = geckoprof_interval(time, time);
          now.flags |= GECKOPROF_MARKER_NOW;
          FORKED_REQUIRE(in_place("now", now));
          const std::string text(5000, 'x');
          FORKED_REQUIRE(geckoprof_base_mark_text("long", 256, nullptr, text.data(), text.size()) == GECKOPROF_MARKED);
          const Segment& segment = *RecordingState::Get().RecordingSegment();
          FORKED_REQUIRE(segment.header().drops[static_cast<uint32_t>(DropReason::kTextCut)].load() == 1);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          const ProcessProfile profile = folder.Read(getpid());
          const int64_t time_ns = FindMarker(profile, "instant").start_ns;
          const MarkerRow interval = FindMarker(profile, "without a start");
          FORKED_REQUIRE(time_ns > 0 && interval.start_ns == time_ns && interval.end_ns == time_ns);
          const int64_t later_ns = FindMarker(profile, "later").start_ns;
          FORKED_REQUIRE(later_ns > time_ns && FindMarker(profile, "end beside a start").end_ns == later_ns);
          FORKED_REQUIRE(FindMarker(profile, "end in place").end_ns == later_ns);
          const MarkerRow scope = FindMarker(profile, "scope of 0");
          FORKED_REQUIRE(FindMarker(profile, "instant of 0").start_ns >= later_ns && scope.start_ns >= later_ns);
          FORKED_REQUIRE(scope.end_ns == scope.start_ns);
          const MarkerRow until = FindMarker(profile, "scope without a start");
          FORKED_REQUIRE(until.start_ns == later_ns && until.end_ns == later_ns);
          FORKED_REQUIRE(FindMarker(profile, "now").start_ns == time_ns &&
                         FindMarker(profile, "now").end_ns >= later_ns);
          return 0;
        }) == 0);
}

TEST_CASE("a stack that was stored is in every marker of a place") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const geckoprof_marker_type description = Description();
          geckoprof_type* const type = geckoprof_base_declare_type(nullptr, &description);
          geckoprof_site* const site = geckoprof_base_declare_site(nullptr, "two", 256, type);
          const geckoprof_value values[] = {geckoprof_int64(-1), geckoprof_string("t")};
          const geckoprof_stack stack = {sizeof stack,
                                         1,
                                         nullptr,
                                         [](const void*, uint32_t, geckoprof_stack_frame* out) {
                                           *out = {0, "stored", 6, 256};
                                         },
                                         0,
                                         0};
          geckoprof_marker_options options = geckoprof_instant();
          options.stack = &stack;
          for (int i = 0; i < 3; ++i)
            FORKED_REQUIRE(geckoprof_base_mark(site, &options, values, 2) == GECKOPROF_MARKED);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          const ProcessProfile profile = folder.Read(getpid());
          size_t with_stack = 0;
          for (const ThreadRow& thread : profile.threads) {
            for (const MarkerRow& marker : thread.markers) with_stack += marker.stack != kNone;
          }
          FORKED_REQUIRE(CountMarkers(profile, "two") == 3 && with_stack == 3);
          return 0;
        }) == 0);
}

TEST_CASE("the category of the options is that of the marker, of a text's too") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const geckoprof_marker_options given = geckoprof_in_category(geckoprof_instant(), GECKOPROF_CATEGORY_NETWORK);
          constexpr uint32_t kOther = GECKOPROF_CATEGORY_OTHER;
          geckoprof_site* const site = geckoprof_base_declare_site(nullptr, "site", kOther, nullptr);
          FORKED_REQUIRE(geckoprof_base_mark(site, &given, nullptr, 0) == GECKOPROF_MARKED);
          FORKED_REQUIRE(geckoprof_base_mark_text("text", kOther, &given, "some", 4) == GECKOPROF_MARKED);
          FORKED_REQUIRE(geckoprof_base_mark_text("plain", kOther, nullptr, "some", 4) == GECKOPROF_MARKED);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          const ProcessProfile profile = folder.Read(getpid());
          const int32_t category = FindMarker(profile, "site").category;
          FORKED_REQUIRE(FindMarker(profile, "text").category == category);
          FORKED_REQUIRE(FindMarker(profile, "plain").category != category);
          return 0;
        }) == 0);
}

TEST_CASE("a literal of any length is a marker's name") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const std::string name(415, 'n');
          geckoprof_site* const site = geckoprof_base_declare_site(nullptr, name.c_str(), 256, nullptr);
          geckoprof_mark_now_(site, GECKOPROF_MARKER_INSTANT, 0);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          FORKED_REQUIRE(CountMarkers(folder.Read(getpid()), name) == 1);
          return 0;
        }) == 0);
}

TEST_CASE("options of an older and of a newer program are understood") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          geckoprof_site* const site = geckoprof_base_declare_site(nullptr, "sized", 256, nullptr);
          struct Newer {
            geckoprof_marker_options known;
            uint64_t newer[4];
          } newer = {geckoprof_interval(5, 9), {1, 2, 3, 4}};
          newer.known.size_bytes = sizeof newer;
          FORKED_REQUIRE(geckoprof_base_mark(site, &newer.known, nullptr, 0) == GECKOPROF_MARKED);
          newer.known.size_bytes = 24;  // flags and times
          newer.known.category_pair = newer.known.skipped_frames = 0xffff;
          FORKED_REQUIRE(geckoprof_base_mark(site, &newer.known, nullptr, 0) == GECKOPROF_MARKED);
          for (const uint32_t wrong : {0u, 8u, 25u}) {
            newer.known.size_bytes = wrong;
            FORKED_REQUIRE(geckoprof_base_mark(site, &newer.known, nullptr, 0) == GECKOPROF_BAD_ARGUMENT);
          }
          return 0;
        }) == 0);
}

TEST_CASE("a child of a fork goes on with what its parent declared") {
  const RecordingFolder folder;
  geckoprof_site* const site = geckoprof_base_declare_site(nullptr, "forked", 256, nullptr);
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          FORKED_REQUIRE(geckoprof_base_mark(site, nullptr, nullptr, 0) == GECKOPROF_MARKED);
          FORKED_REQUIRE(geckoprof_base_declare_site(nullptr, "forked", 256, nullptr) == site);
          FORKED_REQUIRE(geckoprof_base_declare_site(nullptr, "new", 256, nullptr) != nullptr);
          return 0;
        }) == 0);
}

TEST_CASE("the answer says why a marker in place is not recorded") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          geckoprof_site* const plain = geckoprof_base_declare_site(nullptr, "plain", 256, nullptr);
          geckoprof_site* const outer = geckoprof_base_declare_site(nullptr, "outer", 256, nullptr);
          void* const to = geckoprof_base_begin_in_place(outer, 0, 0, 5, 1);
          FORKED_REQUIRE(to != nullptr);
          FORKED_REQUIRE(geckoprof_base_mark(plain, nullptr, nullptr, 0) == GECKOPROF_INTERRUPTED);
          memset(to, 0, 1);
          geckoprof_base_end_in_place(0);
          FORKED_REQUIRE(geckoprof_base_mark(plain, nullptr, nullptr, 0) == GECKOPROF_MARKED);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          FORKED_REQUIRE(geckoprof_base_mark(plain, nullptr, nullptr, 0) == GECKOPROF_NOT_RECORDING);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
