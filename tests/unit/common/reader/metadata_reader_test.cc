#include "metadata_reader.h"

#include <catch2/catch.hpp>

#include "chunk_builder.h"
#include "geckoprof/reader/block_walk.h"
#include "recorded_times.h"

namespace geckoprof {
namespace {

struct Reading {
  ProcessProfile profile;
  SegmentTables tables{&profile};
  MetadataReader reader{&profile, &tables};

  // How many of the entries made sense.
  int ReadBlock(const ChunkBuilder& builder) {
    int fine = 0;
    REQUIRE(ForEachEntry(builder.chunk().bytes, [&](std::span<const uint8_t> entry) {
      fine += reader.Read(entry);
      return true;
    }));
    return fine;
  }
};

TEST_CASE("threads are found by their index, in whatever order they were announced") {
  Reading reading;
  ChunkBuilder chunk(0);
  chunk.Thread(2, 1002, 20).Thread(1, 1001, 10).Thread(uint64_t{1} << 60, 1003, 30).ThreadEnd(1, 50);
  chunk.Add(EntryType::kThreadName, [](EntryBuilder& entry) { entry.U(2).T("renamed"); });
  CHECK(reading.ReadBlock(chunk) == 5);
  CHECK(reading.reader.ThreadByIndex(1) == 1);
  CHECK(reading.reader.ThreadByIndex(2) == 0);
  CHECK(reading.reader.ThreadByIndex(uint64_t{1} << 60) == 2);
  CHECK(reading.reader.ThreadByIndex(0) == kNone);
  CHECK(reading.reader.ThreadByIndex(3) == kNone);
  CHECK(reading.profile.threads[1].unregistered_ns == 50);
  CHECK(reading.profile.threads[0].unregistered_ns == 0);
  CHECK(reading.profile.threads[0].name == "renamed");
  CHECK(reading.profile.threads[1].name == "a thread");
}

TEST_CASE("what names nothing, or a number again, is refused and leaves no trace") {
  Reading reading;
  ChunkBuilder chunk(0);
  chunk.Thread(1, 1001, 10).Thread(1, 6666, 10).ThreadEnd(2, 50);
  chunk.Add(EntryType::kThreadName, [](EntryBuilder& entry) { entry.U(2).T("nobody"); });
  chunk.Module(1, 5, 0x1000, 0x2000, "/a")
      .Module(1, 5, 0x3000, 0x4000, "/again")
      .Module(2, 5, 0x2000, 0x2000, "/empty");
  chunk.Add(EntryType::kModuleEnd, [](EntryBuilder& entry) { entry.U(2).U(9); });
  chunk.Add(EntryType::kProcess, [](EntryBuilder& entry) { entry.T("/bin/cut").U(3).T("one"); });
  chunk.Add(EntryType::kFilters, [](EntryBuilder& entry) { entry.U(uint64_t{1} << 62).T("one"); });
  CHECK(reading.ReadBlock(chunk) == 2);
  CHECK(reading.profile.threads.size() == 1);
  CHECK(reading.profile.threads[0].tid == 1001);
  REQUIRE(reading.profile.libraries.size() == 1);
  CHECK(reading.profile.libraries[0].unmapped_ns == 0);
  CHECK(reading.profile.executable.empty());
  CHECK(reading.profile.arguments.empty());
  CHECK(reading.profile.filters.empty());
}

TEST_CASE("process, filters, strings, modules, pauses and problems") {
  Reading reading;
  ChunkBuilder chunk(0);
  chunk.Add(EntryType::kProcess, [](EntryBuilder& entry) { entry.T("/bin/demo").U(2).T("demo").T("-v"); });
  chunk.Add(EntryType::kFilters, [](EntryBuilder& entry) { entry.U(1).T("Main"); });
  chunk.Add(EntryType::kString, [](EntryBuilder& entry) { entry.U(9).T("nine"); });
  chunk.Add(EntryType::kPause, [](EntryBuilder& entry) { entry.U(10).U(20).T("why"); });
  chunk.Add(EntryType::kProblem, [](EntryBuilder& entry) { entry.T("not as asked"); });
  chunk.Module(4, 5, 0x1000, 0x2000, "/lib/a.so");
  chunk.Add(EntryType::kModuleEnd, [](EntryBuilder& entry) { entry.U(4).U(30); });
  chunk.Add(static_cast<EntryType>(200), [](EntryBuilder& entry) { entry.U(1); });  // of a later version
  CHECK(reading.ReadBlock(chunk) == 8);
  const ProcessProfile& profile = reading.profile;
  CHECK(profile.executable == "/bin/demo");
  CHECK(profile.arguments == std::vector<std::string>{"demo", "-v"});
  CHECK(profile.filters == std::vector<std::string>{"Main"});
  CHECK(profile.problems == std::vector<std::string>{"not as asked"});
  REQUIRE(reading.reader.InternedString(9) != kNone);
  CHECK(profile.strings[static_cast<size_t>(reading.reader.InternedString(9))] == "nine");
  CHECK(reading.reader.InternedString(8) == kNone);
  CHECK(profile.paused[0].start_ns == 10);
  CHECK(profile.paused[0].end_ns == 20);
  CHECK(profile.paused[0].reason == "why");
  CHECK(profile.libraries[0].path == "/lib/a.so");
  CHECK(profile.libraries[0].bias == 0x1000);
  CHECK(profile.libraries[0].mapped_ns == 5);
  CHECK(profile.libraries[0].unmapped_ns == 30);
}

TEST_CASE("a pause that has ended since the header was read takes the place of the open one") {
  Reading reading;
  reading.profile.paused = {{10, 0, "why"}};
  ChunkBuilder chunk(0);
  chunk.Add(EntryType::kPause, [](EntryBuilder& entry) { entry.U(4).U(6).T("before"); });
  chunk.Add(EntryType::kPause, [](EntryBuilder& entry) { entry.U(10).U(20).T("why"); });
  chunk.Add(EntryType::kPause, [](EntryBuilder& entry) { entry.U(10).U(30); });  // cut
  CHECK(reading.ReadBlock(chunk) == 2);
  REQUIRE(reading.profile.paused.size() == 2);
  CHECK(reading.profile.paused[0].end_ns == 20);
  CHECK(reading.profile.paused[1].reason == "before");
}

TEST_CASE("earlier intervals: in order, and none that cannot have been asked for") {
  Reading reading;
  ChunkBuilder chunk(0);
  const auto interval = [](uint64_t until_ns, uint64_t interval_ns) {
    return [=](EntryBuilder& entry) { entry.U(until_ns).U(interval_ns); };
  };
  chunk.Add(EntryType::kInterval, interval(1000, 10'000'000)).Add(EntryType::kInterval, interval(2000, 50'000));
  chunk.Add(EntryType::kInterval, interval(1500, 10'000'000)).Add(EntryType::kInterval, interval(3000, 0));
  chunk.Add(EntryType::kInterval, interval(3000, UINT64_MAX)).Add(EntryType::kInterval, [](EntryBuilder&) {});
  CHECK(reading.ReadBlock(chunk) == 2);
  REQUIRE(reading.profile.earlier_intervals.size() == 2);
  CHECK(reading.profile.earlier_intervals[0].until_ns == 1000);
  CHECK(reading.profile.earlier_intervals[0].interval_ns == 10'000'000);
  CHECK(reading.profile.earlier_intervals[1].interval_ns == 50'000);
  CHECK(reading.profile.earlier_intervals[0].limited_share == -1);  // as of an earlier version
}

TEST_CASE("earlier intervals: the share that the profiler took, if its limit ended them") {
  Reading reading;
  ChunkBuilder chunk(0);
  for (const uint64_t share : {uint64_t{0}, uint64_t{1}, uint64_t{251}, UINT64_MAX}) {
    chunk.Add(EntryType::kInterval, [=](EntryBuilder& entry) { entry.U(1000).U(1'000'000).U(share); });
  }
  CHECK(reading.ReadBlock(chunk) == 4);
  const std::vector<EarlierInterval>& intervals = reading.profile.earlier_intervals;
  REQUIRE(intervals.size() == 4);
  CHECK(intervals[0].limited_share == -1);
  CHECK(intervals[1].limited_share == 0);
  CHECK(intervals[2].limited_share == 250);
  CHECK(intervals[3].limited_share == -1);
}

TEST_CASE("metadata: times that no clock shows become the nearest that one could") {
  Reading reading;
  ChunkBuilder chunk(0);
  chunk.Thread(1, 1, UINT64_MAX).ThreadEnd(1, uint64_t{1} << 63).Module(1, UINT64_MAX, 1, 2, "/a");
  chunk.Add(EntryType::kPause, [](EntryBuilder& entry) { entry.U(UINT64_MAX - 1).U(INT64_MAX).T(""); });
  chunk.Add(EntryType::kModuleEnd, [](EntryBuilder& entry) { entry.U(1).U(UINT64_MAX); });
  CHECK(reading.ReadBlock(chunk) == 5);
  CHECK(reading.profile.threads[0].registered_ns == kLatestNs);
  CHECK(reading.profile.threads[0].unregistered_ns == kLatestNs);
  CHECK(reading.profile.libraries[0].mapped_ns == kLatestNs);
  CHECK(reading.profile.libraries[0].unmapped_ns == kLatestNs);
  CHECK(reading.profile.paused[0].start_ns == kLatestNs);
  CHECK(reading.profile.paused[0].end_ns == kLatestNs);
}

}  // namespace
}  // namespace geckoprof
