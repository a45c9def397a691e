#include "tools/record/marker_watch.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "geckoprof/entries/entry_format.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_marker_writer.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr uint32_t kStart = 2, kEnd = 3;
constexpr uint32_t kNamedSite = 777;

// A session with the segment of process 100, which is written to.
struct LiveSession {
  LiveSession() {
    TestMarkerWriter::WriteSites(test.segment());
    AddSite(kNamedSite, "Paint");
    std::filesystem::create_hard_link(test.path(), folder.path() + "/100-0.segment");
  }
  void AddSite(uint32_t id, std::string_view name) {
    StreamWriter metadata(&test.segment(), StreamId::FromNumber(kMetadataStream), StreamWriter::Supply::kPinned);
    uint8_t room[256];
    EntryBuilder site(EntryType::kMarkerSite, room);
    site.U(id).U(0x100).U(0).U(1).T(name);
    metadata.Append(site.bytes(), 1);
  }
  void Named(std::string_view name, uint32_t phase, uint64_t start_ns, uint64_t end_ns) {
    REQUIRE(writer.Append(&test.segment(), ThreadId::FromNumber(100),
                          TestMarkerWriter::Named(name, phase, start_ns, end_ns)));
  }
  std::vector<std::string> Look() {
    std::vector<std::string> found;
    watch.Look([&found](const LongMarker& marker) {
      found.push_back(marker.name + " " + std::to_string(marker.duration_ns / static_cast<int64_t>(kMs)) + " of " +
                      std::to_string(marker.pid));
    });
    return found;
  }

  TestSegment test;
  TestMarkerWriter writer;
  const TemporaryFolder folder;
  MarkerWatch watch{folder.path(), static_cast<int64_t>(100 * kMs)};
};

TEST_CASE("each long interval is found once, when its end is there") {
  LiveSession live;
  CHECK(live.Look().empty());
  live.Named("short", kMarkerIsInterval, 1000 * kMs, 1100 * kMs);
  live.Named("long", kMarkerIsInterval, 1000 * kMs, 1101 * kMs);
  live.Named("instant", 0, 1000 * kMs, 1000 * kMs);
  CHECK(live.Look() == std::vector<std::string>{"long 101 of 100"});
  CHECK(live.Look().empty());
  live.Named("next", kMarkerIsInterval, 1000 * kMs, 1300 * kMs);
  CHECK(live.Look() == std::vector<std::string>{"next 300 of 100"});
}

TEST_CASE("a start and an end with one name are an interval") {
  LiveSession live;
  live.Named("load", kStart, 1000 * kMs, 1000 * kMs);
  CHECK(live.Look().empty());
  live.Named("other", kEnd, 1500 * kMs, 1500 * kMs);
  live.Named("load", kEnd, 2000 * kMs, 2000 * kMs);
  CHECK(live.Look() == std::vector<std::string>{"load 1000 of 100"});
  live.Named("load", kEnd, 3000 * kMs, 3000 * kMs);
  CHECK(live.Look().empty());
}

TEST_CASE("a site has the name of its markers, also a new site") {
  LiveSession live;
  const auto put = [&live](uint32_t site) {
    TimedMarker marker = TestMarkerWriter::Named({}, kMarkerIsInterval, 1000 * kMs, 1200 * kMs);
    marker.site = site;
    REQUIRE(live.writer.Append(&live.test.segment(), ThreadId::FromNumber(100), marker));
  };
  put(kNamedSite);
  CHECK(live.Look() == std::vector<std::string>{"Paint 200 of 100"});
  live.AddSite(kNamedSite + 1, "Layout");
  put(kNamedSite + 1);
  put(kNamedSite);
  CHECK(live.Look() == std::vector<std::string>{"Layout 200 of 100", "Paint 200 of 100"});
}

TEST_CASE("a segment that goes on in further chunks is read on") {
  LiveSession live;
  size_t found = 0;
  const std::string name(200, 'n');
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 100; ++i) live.Named(name, kMarkerIsInterval, 1000 * kMs, 1200 * kMs);
    found += live.Look().size();
  }
  CHECK(found == 2000);
}

TEST_CASE("other files, and damaged ones, are passed over") {
  LiveSession live;
  live.folder.Write("7-0.segment", std::string(8192, 'x'));
  live.folder.Write("ended", "x");
  live.Named("long", kMarkerIsInterval, 1000 * kMs, 1200 * kMs);
  CHECK(live.Look().size() == 1);
  live.watch.LookAtFile("8-0.segment", [](const LongMarker&) { FAIL("there is no such file"); });
}

}  // namespace
}  // namespace geckoprof
