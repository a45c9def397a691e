#include "geckoprof/entries/marker_writer.h"

#include <signal.h>
#include <sys/time.h>

#include <catch2/catch.hpp>
#include <string>

#include "geckoprof/entries/metadata_writer.h"
#include "tests/support/read_back.h"
#include "tests/support/test_marker_writer.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

TimedMarker Interval(std::string_view name, uint64_t start, uint64_t end) {
  return TestMarkerWriter::Named(name, 1, start, end);
}
TimedMarker Instant(std::string_view name, uint64_t time) { return TestMarkerWriter::Named(name, 0, 0, time); }

TEST_CASE("markers come back under their thread, with time and text") {
  TestSegment test;
  MetadataWriter metadata(&test.segment());
  metadata.Thread(ThreadIndex::FromNumber(1), ThreadId::FromNumber(10), true, 1, "main");
  TestMarkerWriter::WriteSites(test.segment(), 3 << 8);
  TestMarkerWriter markers;
  CHECK(markers.PutText(&test.segment(), ThreadId::FromNumber(10), Interval("Load", 5000, 9000), "a.json"));
  CHECK(markers.Append(&test.segment(), ThreadId::FromNumber(10), Instant("Tick", 7000)));
  const ProcessProfile profile = ReadBack(test);
  REQUIRE(profile.threads.size() == 1);
  const auto& rows = profile.threads[0].markers;
  REQUIRE(rows.size() == 2);
  CHECK(profile.strings[static_cast<size_t>(rows[0].name)] == "Load");
  CHECK(rows[0].phase == MarkerPhase::kInterval);
  CHECK(rows[0].start_ns == 5000);
  CHECK(rows[0].end_ns == 9000);
  CHECK(rows[0].category == 3);
  REQUIRE(rows[0].fields.size() == 1);
  CHECK(profile.strings[static_cast<size_t>(rows[0].fields[0].text)] == "a.json");
  CHECK(profile.marker_types[static_cast<size_t>(rows[0].type)].name == "Text");
  CHECK(rows[1].type == kNone);
  CHECK(rows[1].start_ns == 7000);
}

TEST_CASE("threads that come after one another share a chunk, and each keeps its own markers") {
  TestSegment test(1 << 20, 3);
  TestMarkerWriter::WriteSites(test.segment());
  TestMarkerWriter first;
  first.Append(&test.segment(), ThreadId::FromNumber(11), Interval("a", 100, 200));
  first.ReleasePartial();
  TestMarkerWriter second;
  second.Append(&test.segment(), ThreadId::FromNumber(12), Interval("b", 300, 400));
  const ProcessProfile profile = ReadBack(test);
  REQUIRE(profile.threads.size() == 3);  // with a main thread, of which nothing was written
  for (const ThreadRow& thread : profile.threads) {
    if (thread.is_main) continue;
    REQUIRE(thread.markers.size() == 1);
    CHECK(profile.strings[static_cast<size_t>(thread.markers[0].name)] == (thread.tid == 11 ? "a" : "b"));
  }
  CHECK(ChunkStateIn(test.segment().directory().row(ChunkId::FromNumber(2)).word.load()) == ChunkState::kFree);
}

TEST_CASE("a long name is cut between characters") {
  TestSegment test;
  TestMarkerWriter::WriteSites(test.segment());
  TestMarkerWriter markers;
  const std::string longest(100'000, 'y');
  const std::string name = std::string(MarkerWriter::kLargestNameBytes - 1, 'n') + "\xc3\xa4";
  CHECK(markers.Append(&test.segment(), ThreadId::FromNumber(1), Interval(longest, 1, 2)));
  CHECK(markers.Append(&test.segment(), ThreadId::FromNumber(1), Interval(name, 1, 2)));
  const ProcessProfile profile = ReadBack(test);
  const auto& rows = profile.threads.back().markers;
  CHECK(profile.strings[static_cast<size_t>(rows[0].name)].size() == MarkerWriter::kLargestNameBytes);
  CHECK(profile.strings[static_cast<size_t>(rows[1].name)] == name.substr(0, name.size() - 2));
}

// A handler's marker may belong to another recording than the one that it interrupts, as in the child of a fork.
TestMarkerWriter* g_markers = nullptr;
const Segment* g_handlers_segment = nullptr;
volatile int g_handler_calls = 0;
volatile int g_handler_drops = 0;

void MarkInHandler(int) {
  g_handler_calls = g_handler_calls + 1;
  if (!g_markers->Append(g_handlers_segment, ThreadId::FromNumber(1), Instant("H", 5))) {
    g_handler_drops = g_handler_drops + 1;
  }
}

TEST_CASE("a marker in a handler that interrupted one leaves that one as it is") {
  TestSegment outer(1 << 20, 16), inner(1 << 20, 16);
  TestMarkerWriter::WriteSites(outer.segment());
  TestMarkerWriter markers;
  g_markers = &markers;
  g_handlers_segment = &inner.segment();
  signal(SIGALRM, &MarkInHandler);
  const itimerval often = {{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &often, nullptr);
  bool all_put = true;
  while (g_handler_drops < 20) {
    all_put &= markers.Append(&outer.segment(), ThreadId::FromNumber(1), Instant("O", 5));
  }
  const itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  signal(SIGALRM, SIG_DFL);
  CHECK(all_put);
  CHECK(inner.drops(DropReason::kNested) == static_cast<uint64_t>(g_handler_drops));
  CHECK(outer.drops(DropReason::kNested) == 0);
  const ProcessProfile profile = ReadBack(outer);
  for (const MarkerRow& row : profile.threads.at(0).markers) {
    REQUIRE(profile.strings[static_cast<size_t>(row.name)] == "O");
  }
}

TEST_CASE("a marker on its way when its segment is given up goes nowhere") {
  TestSegment test;
  TestMarkerWriter markers;
  REQUIRE(markers.Append(&test.segment(), ThreadId::FromNumber(1), Interval("a", 1, 2)));
  test.segment().ForgetAfterFork();
  for (int i = 0; i < 5000; ++i) markers.Append(&test.segment(), ThreadId::FromNumber(1), Interval("b", 1, 2));
  markers.ReleasePartial();
  CHECK(test.drops(DropReason::kNoChunk) > 0);
}

TEST_CASE("an interval may end before it begins") {
  TestSegment test;
  TestMarkerWriter::WriteSites(test.segment());
  TestMarkerWriter markers;
  CHECK(markers.Append(&test.segment(), ThreadId::FromNumber(1), Interval("backwards", 9000, 1000)));
  CHECK(ReadBack(test).threads.back().markers[0].end_ns == 9000);
}

}  // namespace
}  // namespace geckoprof
