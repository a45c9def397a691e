// Markers of sites, as marking threads write them: the quick way, payloads, and what interrupts them.
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "geckoprof/entries/entry_builder.h"
#include "geckoprof/entries/marker_writer.h"
#include "geckoprof/segment/leb128.h"
#include "tests/support/read_back.h"
#include "tests/support/test_marker_writer.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

constexpr ThreadId kWriter = ThreadId::FromNumber(21);

// A site with number `id`, in the metadata and as markers name it. `type`: 0 for none.
uint64_t Site(TestSegment& test, StreamWriter& metadata, uint32_t id, std::string_view name, uint32_t type = 0) {
  uint8_t room[256];
  EntryBuilder site(EntryType::kMarkerSite, room);
  site.U(id).U(0x100).U(type).U(name.empty() ? 0 : 1).T(name);
  REQUIRE(metadata.Append(site.bytes(), 1));
  return uint64_t{test.segment().serial()} << 32 | id;
}

struct TimedTest {
  TestSegment test{1 << 20, 4};
  StreamWriter metadata{&test.segment(), StreamId::FromNumber(kMetadataStream), StreamWriter::Supply::kPinned};
  uint64_t site = Site(test, metadata, 5, "site");
  TestMarkerWriter markers;
  bool Append(const TimedMarker& marker, std::span<const uint8_t> payload = {}) {
    return markers.Append(&test.segment(), kWriter, marker, payload);
  }
  // Site 8, whose markers have one field.
  uint64_t SiteWithField(std::string_view key, std::string_view format, MarkerFieldWire wire) {
    uint8_t room[256];
    EntryBuilder type(EntryType::kMarkerType, room);
    type.U(7).U(0).T("T").T("").T("").T("").T("").T("").U(0);
    type.U(1).T(key).T("").T(format).U(static_cast<uint64_t>(wire)).U(0).U(0).U(0);
    REQUIRE(metadata.Append(type.bytes(), 1));
    return Site(test, metadata, 8, key, 7);
  }
};

TimedMarker At(uint64_t start, uint64_t end, uint32_t phase = 1, uint32_t site = 5) {
  TimedMarker marker;
  marker.site = site;
  marker.phase = phase;
  marker.start = start;
  marker.time = end;
  return marker;
}

TEST_CASE("the quick way is open once the thread has a chunk of this recording, and for sites of it") {
  TimedTest timed;
  const Segment* const segment = &timed.test.segment();
  CHECK_FALSE(timed.markers.TryPut(segment, timed.site, 1, 10, 20));
  REQUIRE(timed.Append(At(30, 40)));
  CHECK(timed.markers.TryPut(segment, timed.site, 1, 50, 60));
  CHECK(timed.markers.TryPut(segment, timed.site, 0, 0, 70));
  CHECK_FALSE(timed.markers.TryPut(segment, timed.site & UINT32_MAX, 1, 50, 60));  // of no recording
  TestSegment other;
  CHECK_FALSE(timed.markers.TryPut(&other.segment(), timed.site, 1, 50, 60));
  CHECK_FALSE(timed.markers.TryPut(&other.segment(), uint64_t{other.segment().serial()} << 32 | 5, 1, 50, 60));
  const ProcessProfile profile = ReadBack(timed.test);
  const auto& rows = profile.threads.back().markers;
  REQUIRE(rows.size() == 3);
  for (const MarkerRow& row : rows) CHECK(profile.strings[static_cast<size_t>(row.name)] == "site");
  CHECK(rows[0].start_ns == 30);
  CHECK(rows[0].end_ns == 40);
  CHECK(rows[1].start_ns == 50);
  CHECK(rows[1].end_ns == 60);
  CHECK(rows[2].phase == MarkerPhase::kInstant);
  CHECK(rows[2].start_ns == 70);
}

TEST_CASE("a scope takes 24 bytes, an instant 16") {
  TimedTest timed;
  REQUIRE(timed.Append(At(1, 2)));
  const auto tail = [&] { return timed.test.segment().directory().row(ChunkId::FromNumber(1)).tail.load(); };
  const uint32_t before = tail();
  REQUIRE(timed.markers.TryPut(&timed.test.segment(), timed.site, 1, 1, 2));
  CHECK(tail() == before + 24);
  REQUIRE(timed.markers.TryPut(&timed.test.segment(), timed.site, 0, 0, 1));
  CHECK(tail() == before + 40);
}

TEST_CASE("a nested marker is refused and counted until the outer one is whole") {
  TimedTest timed;
  const Segment* const segment = &timed.test.segment();
  REQUIRE(timed.Append(At(1, 2)));
  uint8_t* const payload = timed.markers.TryBegin(segment, timed.site, 1, 3, 4, 0);
  REQUIRE(payload != nullptr);
  CHECK_FALSE(timed.markers.TryPut(segment, timed.site, 1, 100, 101));
  CHECK(timed.markers.TryBegin(segment, timed.site, 1, 100, 101, 8) == nullptr);
  CHECK_FALSE(timed.Append(At(100, 101)));
  CHECK(timed.test.drops(DropReason::kNested) == 1);
  CHECK(ReadBack(timed.test).threads.back().markers.size() == 1);  // not there before it is whole
  timed.markers.Commit();
  REQUIRE(timed.markers.Enter(segment));
  CHECK_FALSE(timed.markers.Enter(segment));
  CHECK_FALSE(timed.markers.TryPut(segment, timed.site, 1, 100, 101));
  timed.markers.Exit();
  CHECK(timed.markers.TryPut(segment, timed.site, 1, 5, 6));
  const ProcessProfile profile = ReadBack(timed.test);
  const auto& rows = profile.threads.back().markers;
  REQUIRE(rows.size() == 3);
  for (const MarkerRow& row : rows) CHECK(row.start_ns < 100);
  CHECK(timed.test.drops(DropReason::kNested) == 2);
}

TEST_CASE("an abandoned marker is gone, and the next are whole") {
  TimedTest timed;
  const Segment* const segment = &timed.test.segment();
  CHECK(timed.markers.under_way_at() == 0);
  SECTION("before the first") {
    REQUIRE(timed.markers.Enter(segment));
    CHECK(timed.markers.under_way_at() == TestMarkerWriter::kCallerSp - sizeof(uintptr_t));
    timed.markers.Abandon();
    CHECK(timed.Append(At(1, 2)));
  }
  SECTION("between Enter and Exit") {
    REQUIRE(timed.Append(At(1, 2)));
    REQUIRE(timed.markers.Enter(segment));
    timed.markers.Abandon();
  }
  SECTION("in its payload") {
    REQUIRE(timed.Append(At(1, 2)));
    uint8_t* const payload = timed.markers.TryBegin(segment, timed.site, 1, 100, 101, 8);
    REQUIRE(payload != nullptr);
    payload[0] = 0xff;
    timed.markers.Abandon();
  }
  CHECK(timed.markers.under_way_at() == 0);
  CHECK(timed.Append(At(3, 4)));
  CHECK(timed.markers.TryPut(segment, timed.site, 1, 5, 6));
  // The metadata have one chunk, and all markers the other.
  CHECK(segment->directory().row(ChunkId::FromNumber(1)).tail.load() > 0);
  CHECK(segment->directory().row(ChunkId::FromNumber(2)).tail.load() == 0);
  const ProcessProfile profile = ReadBack(timed.test);
  const auto& rows = profile.threads.back().markers;
  REQUIRE(rows.size() == 3);
  for (size_t i = 0; i < rows.size(); ++i) CHECK(rows[i].start_ns == static_cast<int64_t>(1 + 2 * i));
  CHECK(profile.losses.empty());
}

sigjmp_buf g_back;
void JumpBack(int) { siglongjmp(g_back, 1); }

// Wherever the jump goes out, also while a chunk is taken.
TEST_CASE("jumps out of markers damage nothing") {
  TestSegment test(16 << 20, 256);
  TestMarkerWriter::WriteSites(test.segment());
  static TestMarkerWriter markers;
  static volatile int64_t made = 0;
  static volatile int jumps = 0;
  static volatile uint64_t given_up = 0;
  signal(SIGALRM, &JumpBack);
  const itimerval soon = {{0, 0}, {0, 30}};  // once: at an interval, a slow machine would do nothing but jump
  constexpr int kJumps = 2000;
  constexpr int64_t kMost = 500'000;  // there is room for all
  if (sigsetjmp(g_back, 1) != 0) jumps = jumps + 1;
  if (markers.under_way_at() != 0) {
    given_up = given_up + 1;
    markers.Abandon();
  }
  setitimer(ITIMER_REAL, &soon, nullptr);
  while (jumps < kJumps && made < kMost) {
    markers.Append(&test.segment(), kWriter, TestMarkerWriter::Named("O", 0, 0, static_cast<uint64_t>(made + 1)));
    made = made + 1;
  }
  const itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  signal(SIGALRM, SIG_DFL);
  CHECK(given_up > 0);
  CHECK(markers.Append(&test.segment(), kWriter, TestMarkerWriter::Named("last", 0, 0, 5)));
  ProcessProfile profile;
  CHECK(ReadSegmentFile(test.path().c_str(), profile).status == SegmentReadStatus::kOk);
  for (const ThreadRow& thread : profile.threads) {
    if (thread.markers.empty()) continue;
    CHECK(thread.tid == kWriter.ToNumber());
    const std::vector<MarkerRow> rows(thread.markers.begin(), thread.markers.end());
    CHECK(profile.strings[static_cast<size_t>(rows.back().name)] == "last");
    for (size_t i = 1; i + 1 < rows.size(); ++i) {
      const int64_t step = rows[i].start_ns - rows[i - 1].start_ns;
      REQUIRE((step == 0 || step == 1 || step == 2));  // jumped before it was counted, or before it was there
    }
  }
}

TEST_CASE("markers fill chunk after chunk, each of which says whose they are") {
  TestSegment test(1 << 20, 8);
  StreamWriter metadata(&test.segment(), StreamId::FromNumber(kMetadataStream), StreamWriter::Supply::kPinned);
  const uint64_t site = Site(test, metadata, 5, "site");
  TestMarkerWriter markers;
  const uint64_t count = 4 * test.segment().chunk_bytes() / 24;
  uint64_t slow = 0;
  for (uint64_t i = 1; i <= count; ++i) {
    if (markers.TryPut(&test.segment(), site, 1, i, i + 1)) continue;
    ++slow;
    REQUIRE(markers.Append(&test.segment(), kWriter, At(i, i + 1)));
  }
  CHECK(slow >= 4);
  CHECK(slow <= 6);
  const ProcessProfile profile = ReadBack(test);
  const auto& rows = profile.threads.back().markers;
  CHECK(profile.threads.back().tid == kWriter.ToNumber());
  REQUIRE(rows.size() == count);
  for (uint64_t i = 0; i < count; ++i) REQUIRE(rows[i].start_ns == static_cast<int64_t>(i + 1));
  CHECK(profile.losses.empty());
}

TEST_CASE("another recording begins anew, and the one before keeps what it has") {
  TimedTest timed;
  REQUIRE(timed.Append(At(1, 2)));
  TestSegment second;
  StreamWriter metadata(&second.segment(), StreamId::FromNumber(kMetadataStream), StreamWriter::Supply::kPinned);
  const uint64_t site = Site(second, metadata, 9, "second");
  REQUIRE(timed.markers.Append(&second.segment(), kWriter, At(3, 4, 1, 9)));
  CHECK(timed.markers.TryPut(&second.segment(), site, 1, 5, 6));
  CHECK_FALSE(timed.markers.TryPut(&timed.test.segment(), timed.site, 1, 5, 6));
  CHECK(ReadBack(timed.test).threads.back().markers.size() == 1);
  const ProcessProfile profile = ReadBack(second);
  REQUIRE(profile.threads.back().markers.size() == 2);
  CHECK(profile.strings[static_cast<size_t>(profile.threads.back().markers[1].name)] == "second");
}

TEST_CASE("a marker's own name, category and thread") {
  TimedTest timed;
  Site(timed.test, timed.metadata, 6, "");
  TimedMarker marker = At(1, 2, 1, 6);
  const std::string longest = std::string(MarkerWriter::kLargestNameBytes - 1, 'n') + "\xc3\xa4";
  marker.name = longest;
  marker.category_pair = 4 << 8;
  marker.about = ThreadId::FromNumber(99);
  REQUIRE(timed.Append(marker));
  marker = At(3, 4, 1, 6);
  marker.name = "";
  REQUIRE(timed.Append(marker));
  const ProcessProfile profile = ReadBack(timed.test);
  const ThreadRow* about = nullptr;
  const ThreadRow* own = nullptr;
  for (const ThreadRow& thread : profile.threads) {
    if (thread.tid == 99) about = &thread;
    if (thread.tid == kWriter.ToNumber()) own = &thread;
  }
  REQUIRE(about != nullptr);
  REQUIRE(about->markers.size() == 1);
  CHECK(profile.strings[static_cast<size_t>(about->markers[0].name)] == longest.substr(0, longest.size() - 2));
  CHECK(about->markers[0].category == 4);
  REQUIRE(own != nullptr);
  REQUIRE(own->markers.size() == 1);
  CHECK(profile.strings[static_cast<size_t>(own->markers[0].name)].empty());
  CHECK(own->markers[0].category == 1);
}

TEST_CASE("payloads of all sizes, up to the room in a chunk") {
  TimedTest timed;
  timed.SiteWithField("text", "string", MarkerFieldWire::kString);
  const auto put = [&](const std::string& text) {
    std::vector<uint8_t> payload(kMaxLeb128Bytes);
    payload.resize(static_cast<size_t>(WriteUleb128(text.size(), payload.data()) - payload.data()));
    payload.insert(payload.end(), text.begin(), text.end());
    return timed.Append(At(1, 2, 1, 8), payload);
  };
  const size_t chunk_bytes = timed.test.segment().chunk_bytes();
  CHECK(put("short"));
  CHECK(put(std::string(chunk_bytes - 200, 'x')));
  CHECK(put(""));
  CHECK_FALSE(put(std::string(chunk_bytes, 'x')));
  CHECK(put("after"));
  CHECK(timed.test.drops(DropReason::kTooLarge) == 1);
  const ProcessProfile profile = ReadBack(timed.test);
  const auto& rows = profile.threads.back().markers;
  REQUIRE(rows.size() == 4);
  const auto text = [&](size_t i) { return profile.strings[static_cast<size_t>(rows[i].fields.at(0).text)]; };
  CHECK(text(0) == "short");
  CHECK(text(1) == std::string(chunk_bytes - 200, 'x'));
  CHECK(text(2).empty());
  CHECK(text(3) == "after");
}

TEST_CASE("a short payload is written where it lies") {
  TimedTest timed;
  const uint64_t word = timed.SiteWithField("n", "integer", MarkerFieldWire::kInt64);
  REQUIRE(timed.Append(At(1, 2)));
  for (int64_t number = 10; number < 13; ++number) {
    uint8_t* const to = timed.markers.TryBegin(&timed.test.segment(), word, 0, 0, 5, sizeof number);
    REQUIRE(to != nullptr);
    memcpy(to, &number, sizeof number);
    timed.markers.Commit();
  }
  const ProcessProfile profile = ReadBack(timed.test);
  const auto& rows = profile.threads.back().markers;
  REQUIRE(rows.size() == 4);
  for (size_t i = 1; i < 4; ++i) CHECK(rows[i].fields.at(0).integer == static_cast<int64_t>(9 + i));
  // The largest block whose size is one byte.
  uint8_t* const to = timed.markers.TryBegin(&timed.test.segment(), word, 1, 5, 6, MarkerWriter::kMaxQuickPayloadBytes);
  REQUIRE(to != nullptr);
  memset(to, 1, MarkerWriter::kMaxQuickPayloadBytes);
  timed.markers.Commit();
  CHECK(ReadBack(timed.test).threads.back().markers.size() == 5);
}

}  // namespace
}  // namespace geckoprof
