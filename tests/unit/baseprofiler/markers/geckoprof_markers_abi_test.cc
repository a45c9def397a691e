// The C API's markers, in the whole library: each case records in a forked child.
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
          geckoprof_site* const scope = geckoprof_base_declare_site(nullptr, "scope", 256, nullptr);
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
          options.phase = 4;
          FORKED_REQUIRE(geckoprof_base_mark(nameless, &options, nullptr, 0) == GECKOPROF_BAD_ARGUMENT);
          FORKED_REQUIRE(geckoprof_base_mark_text("text", 256, nullptr, "some", 4) == GECKOPROF_MARKED);
          FORKED_REQUIRE(geckoprof_base_mark_text(nullptr, 256, nullptr, "some", 4) == GECKOPROF_BAD_ARGUMENT);
          FORKED_REQUIRE(geckoprof_base_mark_text("text", 256, nullptr, nullptr, 4) == GECKOPROF_BAD_ARGUMENT);
          const Segment& segment = *RecordingState::Get().RecordingSegment();
          FORKED_REQUIRE(segment.header().drops[static_cast<uint32_t>(DropReason::kBadMarker)].load() == 8);
          geckoprof_base_mark_scope(scope, geckoprof_base_time(), geckoprof_base_time());
          for (geckoprof_site* const no_plain_one : {static_cast<geckoprof_site*>(nullptr), site}) {
            geckoprof_base_mark_scope(no_plain_one, 1, 2);
            geckoprof_base_mark_instant(no_plain_one, 1);
          }
          FORKED_REQUIRE(segment.header().drops[static_cast<uint32_t>(DropReason::kBadMarker)].load() == 12);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          const ProcessProfile profile = folder.Read(getpid());
          FORKED_REQUIRE(CountMarkers(profile, "two") == 1 && CountMarkers(profile, "scope") == 1 &&
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
          geckoprof_marker_options end = geckoprof_interval_end();
          end.start = time;
          end.end = 0;
          FORKED_REQUIRE(mark("end given as start", end));
          usleep(1000);
          const geckoprof_time later = geckoprof_base_time();
          end.end = later;
          FORKED_REQUIRE(mark("later", geckoprof_instant_at(later)) && mark("end beside a start", end));
          geckoprof_site* const site = geckoprof_base_declare_site(nullptr, "end in place", 256, nullptr);
          FORKED_REQUIRE(geckoprof_base_mark(site, &end, nullptr, 0) == GECKOPROF_MARKED);
          const auto plain = [](const char* name) { return geckoprof_base_declare_site(nullptr, name, 256, nullptr); };
          geckoprof_base_mark_instant(plain("instant of 0"), 0);
          geckoprof_base_mark_scope(plain("scope of 0"), 0, 0);
          geckoprof_base_mark_scope(plain("scope without a start"), 0, later);
          const std::string text(5000, 'x');
          FORKED_REQUIRE(geckoprof_base_mark_text("long", 256, nullptr, text.data(), text.size()) == GECKOPROF_MARKED);
          const Segment& segment = *RecordingState::Get().RecordingSegment();
          FORKED_REQUIRE(segment.header().drops[static_cast<uint32_t>(DropReason::kTextCut)].load() == 1);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          const ProcessProfile profile = folder.Read(getpid());
          const int64_t time_ns = FindMarker(profile, "instant").start_ns;
          const MarkerRow interval = FindMarker(profile, "without a start");
          FORKED_REQUIRE(time_ns > 0 && interval.start_ns == time_ns && interval.end_ns == time_ns);
          FORKED_REQUIRE(FindMarker(profile, "end given as start").end_ns == time_ns);
          const int64_t later_ns = FindMarker(profile, "later").start_ns;
          FORKED_REQUIRE(later_ns > time_ns && FindMarker(profile, "end beside a start").end_ns == later_ns);
          FORKED_REQUIRE(FindMarker(profile, "end in place").end_ns == later_ns);
          const MarkerRow scope = FindMarker(profile, "scope of 0");
          FORKED_REQUIRE(FindMarker(profile, "instant of 0").start_ns >= later_ns && scope.start_ns >= later_ns);
          FORKED_REQUIRE(scope.end_ns == scope.start_ns);
          const MarkerRow until = FindMarker(profile, "scope without a start");
          FORKED_REQUIRE(until.start_ns == later_ns && until.end_ns == later_ns);
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
          geckoprof_base_mark_instant(site, geckoprof_base_time());
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
          newer.known.size_bytes = 24;  // phase and times
          newer.known.flags = 0xffff;
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

}  // namespace
}  // namespace geckoprof
