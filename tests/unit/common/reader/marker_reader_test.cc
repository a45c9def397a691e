#include "marker_reader.h"

#include <catch2/catch.hpp>

#include "chunk_builder.h"
#include "entry_bytes.h"
#include "geckoprof/entries/chunk_stacks.h"
#include "recorded_times.h"
#include "tests/support/read_back.h"

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
  MetadataReader metadata{&profile, &tables};
  SampleReader samples{&profile, &tables, &metadata};
  CycleTimes cycles;
  MarkerReader reader{&profile, &tables, &metadata, &samples, &cycles};
};

void Writer(ChunkBuilder& chunk, uint64_t tid) {
  chunk.Add(EntryType::kWriter, [&](EntryBuilder& entry) { entry.U(tid).U(0).U(0); });
}

// A site with a name and no type, and one without a name and with two fields.
void AddSites(Reading& reading) {
  const EntryBytes type = TypeEntry(1, "Pair", {{"a", MarkerFieldWire::kBool, 0}, {"b", MarkerFieldWire::kString, 0}});
  REQUIRE(reading.metadata.Read(type.bytes()));
  for (const uint64_t id : {2, 3}) {
    const EntryBytes site(EntryType::kMarkerSite, [id](EntryBuilder& out) {
      out.U(id).U(0x100).U(id == 2 ? 0 : 1).U(id == 2 ? 1 : 0).T(id == 2 ? "named" : "");
    });
    REQUIRE(reading.metadata.Read(site.bytes()));
  }
}

void Timed(ChunkBuilder& chunk, uint8_t flags, uint32_t site, uint64_t start, uint64_t end) {
  chunk.Add(EntryType::kTimedMarker, [=](EntryBuilder& entry) {
    entry.Byte(flags).Byte(0).Fixed(site).Fixed(start);
    if ((flags & kMarkerHasOneTime) == 0) entry.Fixed(end);
  });
}

// Of the site with a name.
void Interval(ChunkBuilder& chunk, int64_t start_ns, int64_t lasts_ns) {
  Timed(chunk, kMarkerIsInterval, 2, static_cast<uint64_t>(start_ns), static_cast<uint64_t>(start_ns + lasts_ns));
}
void Instant(ChunkBuilder& chunk, int64_t time_ns) {
  Timed(chunk, kMarkerHasOneTime, 2, static_cast<uint64_t>(time_ns), 0);
}

TEST_CASE("markers go to the thread that their chunk names") {
  Reading reading;
  ChunkBuilder chunk(kBegin);
  AddSites(reading);
  Writer(chunk, 10);
  Interval(chunk, kBegin + 5, 20);
  Interval(chunk, kBegin + 200, 20);  // the first thread with this tid has ended
  Writer(chunk, 77);
  Instant(chunk, kBegin + 1);
  Instant(chunk, kBegin + 500);
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
  CHECK(reading.profile.strings[static_cast<size_t>(marker.name)] == "named");
}

TEST_CASE("a writer that nobody announced has one thread in all chunks") {
  Reading reading;
  AddSites(reading);
  for (int i = 0; i < 3; ++i) {
    ChunkBuilder chunk(kBegin + i * 1000);
    Writer(chunk, 5);
    Instant(chunk, kBegin + i * 1000);
    CHECK(reading.reader.ReadChunk(chunk.chunk()));
  }
  REQUIRE(reading.profile.threads.size() == 3);
  CHECK(reading.profile.threads[2].markers.size() == 3);
}

TEST_CASE("timed markers say by number what their site says in full") {
  Reading reading;
  AddSites(reading);
  ChunkBuilder chunk(kBegin);
  Writer(chunk, 10);
  Timed(chunk, 1, 2, kBegin + 5, kBegin + 9);
  Timed(chunk, kMarkerHasOneTime, 2, kBegin + 6, 0);
  Timed(chunk, 2 | kMarkerHasOneTime, 2, kBegin + 7, 0);
  Timed(chunk, 3 | kMarkerHasOneTime, 2, kBegin + 8, 0);
  CHECK(reading.reader.ReadChunk(chunk.chunk()));
  CHECK(reading.reader.unreadable() == 0);
  const auto& markers = reading.profile.threads[0].markers;
  REQUIRE(markers.size() == 4);
  for (size_t i = 0; i < 4; ++i) {
    CHECK(reading.profile.strings[static_cast<size_t>(markers[i].name)] == "named");
    CHECK(markers[i].category == 1);
    CHECK(markers[i].type == kNone);
    CHECK(markers[i].fields.empty());
  }
  CHECK(markers[0].phase == MarkerPhase::kInterval);
  CHECK(markers[0].start_ns == kBegin + 5);
  CHECK(markers[0].end_ns == kBegin + 9);
  CHECK(markers[1].phase == MarkerPhase::kInstant);
  CHECK(markers[1].start_ns == kBegin + 6);
  CHECK(markers[2].phase == MarkerPhase::kIntervalStart);
  CHECK(markers[2].start_ns == kBegin + 7);
  CHECK(markers[3].phase == MarkerPhase::kIntervalEnd);
  CHECK(markers[3].end_ns == kBegin + 8);
}

TEST_CASE("timed markers may have a name, a category, fields, and be about another thread") {
  Reading reading;
  AddSites(reading);
  ChunkBuilder chunk(kBegin);
  Writer(chunk, 10);
  chunk.Add(EntryType::kTimedMarker, [&](EntryBuilder& entry) {
    entry.Byte(kMarkerHasOneTime | kMarkerHasThread | kMarkerHasName | kMarkerHasCategory).Byte(0).Fixed(uint32_t{3});
    entry.Fixed(uint64_t{kBegin}).Fixed(int32_t{44}).T("own").Fixed(uint32_t{0}).Byte(1).T("text");
  });
  CHECK(reading.reader.ReadChunk(chunk.chunk()));
  REQUIRE(reading.profile.threads.size() == 3);
  CHECK(reading.profile.threads[2].tid == 44);
  const MarkerRow& marker = reading.profile.threads[2].markers[0];
  CHECK(reading.profile.strings[static_cast<size_t>(marker.name)] == "own");
  CHECK(marker.category == 0);
  CHECK(reading.profile.marker_types.at(static_cast<size_t>(marker.type)).name == "Pair");
  REQUIRE(marker.fields.size() == 2);
  CHECK(marker.fields[0].integer == 1);
  CHECK(reading.profile.strings[static_cast<size_t>(marker.fields[1].text)] == "text");
}

TEST_CASE("a marker that makes no sense is left out and counted, and the next is taken") {
  Reading reading;
  AddSites(reading);
  ChunkBuilder chunk(kBegin);
  Timed(chunk, 1, 2, kBegin, kBegin);  // by nobody
  Writer(chunk, 10);
  Timed(chunk, 1, 99, kBegin, kBegin);                // of no known site
  Timed(chunk, kMarkerHasThread, 2, kBegin, kBegin);  // cut
  Timed(chunk, 1, 3, kBegin, kBegin);                 // without its fields
  Timed(chunk, 1, 2, kBegin, kBegin);
  CHECK(reading.reader.ReadChunk(chunk.chunk()));
  CHECK(reading.reader.unreadable() == 4);
  CHECK(reading.profile.threads[0].markers.size() == 1);
}

TEST_CASE("a time that no clock shows is the latest that one could, and that is counted") {
  Reading reading;
  AddSites(reading);
  ChunkBuilder chunk(kBegin);
  Writer(chunk, 10);
  Timed(chunk, 0, 2, INT64_MAX, INT64_MAX);
  Timed(chunk, 1, 2, kBegin, INT64_MAX);
  Timed(chunk, 0, 2, kLatestNs - 1, kLatestNs - 1);
  CHECK(reading.reader.ReadChunk(chunk.chunk()));
  CHECK(reading.reader.late() == 2);
  size_t found = 0;
  for (const auto& thread : reading.profile.threads) {
    for (const MarkerRow& marker : thread.markers) {
      ++found;
      CHECK(marker.end_ns == (marker.start_ns == kLatestNs - 1 ? kLatestNs - 1 : kLatestNs));
    }
  }
  CHECK(found == 3);
}

TEST_CASE("an interval never ends before it begins, and that is counted") {
  Reading reading;
  AddSites(reading);
  ChunkBuilder chunk(kBegin);
  Writer(chunk, 10);
  Timed(chunk, 1, 2, kBegin + 50, kBegin + 10);
  CHECK(reading.reader.ReadChunk(chunk.chunk()));
  CHECK(reading.reader.backward() == 1);
  CHECK(reading.reader.unreadable() == 0);
  const auto& markers = reading.profile.threads[0].markers;
  REQUIRE(markers.size() == 1);
  CHECK(markers[0].start_ns == kBegin + 50);
  CHECK(markers[0].end_ns == kBegin + 50);
}

TEST_CASE("the chunks of markers say how the counter went") {
  ChunkBuilder chunk(kBegin);
  chunk.Add(EntryType::kWriter, [](EntryBuilder& entry) { entry.U(10).U(1'000'000'000).U(2'000'000'000); });
  chunk.Add(EntryType::kWriter, [](EntryBuilder& entry) { entry.U(10).U(3'000'000'000).U(6'000'000'000); });
  chunk.Add(EntryType::kWriter, [](EntryBuilder& entry) { entry.U(10); });  // of the version before
  chunk.Add(EntryType::kWriter, [](EntryBuilder& entry) { entry.U(10).U(5'000'000'000).U(0); });  // no counter
  CycleTimes cycles;
  CHECK(MarkerReader::ReadClocks(chunk.chunk(), cycles));
  cycles.Finish();
  REQUIRE(cycles.known());
  CHECK(cycles.ToNs(4'000'000'000) == 2'000'000'000);
}

// `stack`: the field's bytes.
void WithStack(ChunkBuilder& chunk, const std::vector<uint8_t>& stack) {
  chunk.Add(EntryType::kTimedMarker, [&](EntryBuilder& entry) {
    entry.Byte(kMarkerHasOneTime | kMarkerHasStack).Byte(0).Fixed(uint32_t{2}).Fixed(uint64_t{kBegin + 7});
    entry.T({reinterpret_cast<const char*>(stack.data()), stack.size()});
  });
}

std::vector<uint8_t> Frames(std::initializer_list<StackFrame> frames) {
  std::vector<uint8_t> room(200);
  EntryBuilder field{std::span<uint8_t>(room)};
  field.U(uint64_t{frames.size()} << 1);
  uint64_t address = 0;
  for (const StackFrame& frame : frames) address = AppendStackFrame(frame, address, field);
  room.resize(field.bytes().size());
  return room;
}

TEST_CASE("a marker's stack becomes rows of the table, with the library that was there at its time") {
  Reading reading;
  AddSites(reading);
  reading.profile.libraries = {{0x1000, 0x2000, 0, "old.so", "", 1, kBegin + 20},
                               {0x1000, 0x2000, 0, "new.so", "", kBegin + 20, 0}};
  MarkerReader reader(&reading.profile, &reading.tables, &reading.metadata, &reading.samples, &reading.cycles);
  ChunkBuilder chunk(kBegin);
  Writer(chunk, 10);
  WithStack(chunk, Frames({{StackFrameKind::kNative, 0x1100, 0, {}},
                           {StackFrameKind::kInlineLabel, 0, 0x100, "a label"},
                           {StackFrameKind::kNative, 0x1080, 0, {}}}));
  WithStack(chunk, Frames({}));
  std::vector<uint8_t> of_another = Frames({{StackFrameKind::kNative, 0x1100, 0, {}}});
  of_another.insert(of_another.end(), {12, 34});
  WithStack(chunk, of_another);
  reading.profile.start_ns = 30;
  of_another.back() = 5;
  WithStack(chunk, of_another);
  CHECK(reader.ReadChunk(chunk.chunk()));
  CHECK(reader.unreadable() == 0);
  const auto& markers = reading.profile.threads[0].markers;
  REQUIRE(markers.size() == 4);
  CHECK(markers[0].stack_tid == 10);
  CHECK(markers[0].StackTimeNs() == kBegin + 7);
  CHECK(markers[2].stack_tid == 12);
  CHECK(markers[2].StackTimeNs() == 34);
  CHECK(markers[3].StackTimeNs() == 30);  // captured before the recording
  CHECK(StackText(reading.profile, markers[0].stack) == "(root);4352;a label;4224");
  const auto row = static_cast<size_t>(markers[0].stack);
  const FrameRow& frame = reading.profile.frames[static_cast<size_t>(reading.profile.stacks[row].frame)];
  CHECK(frame.library == 0);
  CHECK(reading.profile.marker_types[static_cast<size_t>(markers[0].type)].name == "NoPayloadUserData");
  CHECK(markers[1].stack == kNone);
  CHECK(markers[1].type == kNone);
}

TEST_CASE("a stack that the sampler wrote is found by its id; one that is not there is counted") {
  Reading reading;
  AddSites(reading);
  ChunkBuilder sampled(kBegin);
  sampled.Stack(0, 0x500).Add(EntryType::kMarkerStack, [](EntryBuilder& entry) { entry.U(9).U(1); });
  sampled.Add(EntryType::kMarkerStack, [](EntryBuilder& entry) { entry.U(11).U(77); });  // no such stack
  REQUIRE(reading.samples.ReadChunk(sampled.chunk()));
  CHECK(reading.samples.unreadable() == 1);
  ChunkBuilder chunk(kBegin);
  Writer(chunk, 10);
  WithStack(chunk, {9 << 1 | 1});
  WithStack(chunk, {11 << 1 | 1});
  CHECK(reading.reader.ReadChunk(chunk.chunk()));
  CHECK(reading.reader.unreadable() == 0);
  CHECK(reading.reader.without_stack() == 1);
  const auto& markers = reading.profile.threads[0].markers;
  REQUIRE(markers.size() == 2);
  CHECK(StackText(reading.profile, markers[0].stack) == "(root);1280");
  CHECK(markers[1].stack == kNone);
}

TEST_CASE("a marker whose stack makes no sense is left out and counted") {
  Reading reading;
  AddSites(reading);
  ChunkBuilder chunk(kBegin);
  Writer(chunk, 10);
  WithStack(chunk, {});
  WithStack(chunk, {200, 1});                                   // a hundred frames that are not there
  WithStack(chunk, {2, 0xff});                                  // a number without an end
  WithStack(chunk, {0, 12});                                    // whose, but not when
  chunk.Add(EntryType::kTimedMarker, [](EntryBuilder& entry) {  // longer than the entry
    entry.Byte(kMarkerHasOneTime | kMarkerHasStack).Byte(0).Fixed(uint32_t{2}).Fixed(uint64_t{kBegin}).U(1000).U(0);
  });
  CHECK(reading.reader.ReadChunk(chunk.chunk()));
  CHECK(reading.reader.unreadable() == 5);
  CHECK(reading.profile.threads[0].markers.empty());
}

}  // namespace
}  // namespace geckoprof
