#include "marker_reader.h"

#include <catch2/catch.hpp>

#include "chunk_builder.h"
#include "plausible_time.h"

namespace geckoprof {
namespace {

constexpr int64_t kBegin = 1'000'000;

ProcessProfile TwoThreads() {
  ProcessProfile profile;
  profile.categories = {{"Other", "grey", {"Other"}}, {"Work", "blue", {"Other"}}};
  profile.threads.resize(2);
  profile.threads[0].tid = 10;
  profile.threads[0].unregistered_ns = kBegin + 100;
  profile.threads[1].tid = 10;
  return profile;
}

struct Reading {
  ProcessProfile profile = TwoThreads();
  SegmentTables tables{&profile};
  MarkerReader reader{&profile, &tables};
};

void Writer(ChunkBuilder& chunk, uint64_t tid) {
  chunk.Add(EntryType::kWriter, [&](EntryBuilder& entry) { entry.U(tid); });
}

void Marker(ChunkBuilder& chunk, uint64_t phase, int64_t start_ns, int64_t lasts_ns, uint64_t category_pair = 0x100) {
  chunk.Add(EntryType::kMarker, [&](EntryBuilder& entry) {
    entry.U(phase).Z(start_ns - chunk.chunk().begin_ns).Z(lasts_ns).U(category_pair).U(1).T("name").T("text");
  });
}

TEST_CASE("markers go to the thread that their chunk names") {
  Reading reading;
  ChunkBuilder chunk(kBegin);
  Writer(chunk, 10);
  Marker(chunk, 1, kBegin + 5, 20);
  Marker(chunk, 1, kBegin + 200, 20);  // the first thread with this tid has ended
  Writer(chunk, 77);
  Marker(chunk, 0, kBegin + 1, 1);
  Marker(chunk, 0, kBegin + 500, 1);
  CHECK(reading.reader.ReadChunk(chunk.chunk()));
  CHECK(reading.reader.unreadable() == 0);
  const auto& threads = reading.profile.threads;
  REQUIRE(threads.size() == 3);
  REQUIRE(threads[0].markers.size() == 1);
  CHECK(threads[1].markers.size() == 1);
  CHECK(threads[2].markers.size() == 2);
  CHECK(threads[2].tid == 77);
  const MarkerRow& marker = threads[0].markers[0];
  CHECK(marker.start_ns == kBegin + 5);
  CHECK(marker.end_ns == kBegin + 25);
  CHECK(marker.phase == MarkerPhase::kInterval);
  CHECK(marker.category == 1);
  CHECK(reading.profile.strings[static_cast<size_t>(marker.name)] == "name");
  REQUIRE(marker.fields.size() == 1);
  CHECK(reading.profile.strings[static_cast<size_t>(marker.fields[0].text)] == "text");
  REQUIRE(reading.profile.marker_types.size() == 1);
  CHECK(reading.profile.marker_types[static_cast<size_t>(marker.type)].name == "Text");
}

TEST_CASE("a writer that nobody announced has one thread in all chunks") {
  Reading reading;
  for (int i = 0; i < 3; ++i) {
    ChunkBuilder chunk(kBegin + i * 1000);
    Writer(chunk, 5);
    Marker(chunk, 0, kBegin + i * 1000, 0);
    CHECK(reading.reader.ReadChunk(chunk.chunk()));
  }
  REQUIRE(reading.profile.threads.size() == 3);
  CHECK(reading.profile.threads[2].markers.size() == 3);
}

TEST_CASE("a marker that makes no sense is left out and counted, and the next is taken") {
  Reading reading;
  ChunkBuilder chunk(kBegin);
  Marker(chunk, 1, kBegin, 1);  // by nobody
  Writer(chunk, 10);
  Marker(chunk, 9, kBegin, 1);                                                            // no such phase
  chunk.Add(EntryType::kMarker, [](EntryBuilder& entry) { entry.U(1).Z(0).Z(0).U(0); });  // cut
  Marker(chunk, 1, kBegin, 1, 999 << 8);                                                  // category of a later version
  CHECK(reading.reader.ReadChunk(chunk.chunk()));
  CHECK(reading.reader.unreadable() == 3);
  REQUIRE(reading.profile.threads[0].markers.size() == 1);
  CHECK(reading.profile.threads[0].markers[0].category == kNone);
}

TEST_CASE("markers: times beyond all clocks become the nearest that one could show") {
  Reading reading;
  ChunkBuilder chunk(INT64_MAX - 5);
  Writer(chunk, 10);
  Marker(chunk, 1, INT64_MAX - 5, INT64_MAX);
  chunk.Add(EntryType::kMarker,
            [&](EntryBuilder& entry) { entry.U(1).Z(INT64_MIN).Z(INT64_MIN).U(0).U(0).T("far back"); });
  chunk.Add(EntryType::kMarker,
            [&](EntryBuilder& entry) { entry.U(1).Z(INT64_MAX).Z(INT64_MIN).U(0).U(0).T("there and back"); });
  CHECK(reading.reader.ReadChunk(chunk.chunk()));
  const auto& late = reading.profile.threads[1].markers;
  REQUIRE(late.size() == 1);
  CHECK(late[0].start_ns == kLatestNs);
  CHECK(late[0].end_ns == kLatestNs);
  const auto& early = reading.profile.threads[0].markers;
  REQUIRE(early.size() == 2);
  CHECK(early[0].start_ns == -kLatestNs);
  CHECK(early[0].end_ns == -kLatestNs);
  CHECK(early[1].start_ns == kLatestNs);
  CHECK(early[1].end_ns == -kLatestNs);
}

}  // namespace
}  // namespace geckoprof
