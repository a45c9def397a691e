// Reading a segment that somebody else made: a good one, with changes at places that the input chooses.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "geckoprof/entries/entry_builder.h"
#include "geckoprof/entries/marker_writer.h"
#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/entries/sample_writer.h"
#include "geckoprof/gecko_json/gecko_writer.h"
#include "geckoprof/json/json_writer.h"
#include "geckoprof/reader/segment_reader.h"
#include "tests/support/test_marker_writer.h"
#include "tests/support/test_segment.h"

namespace {

using namespace geckoprof;

struct GoodSegment {
  GoodSegment() : test(1 << 20, 4) {
    MetadataWriter metadata(&test.segment());
    const std::string_view arguments[] = {"prog"};
    metadata.Process("/usr/bin/prog", arguments);
    metadata.Module(1, 1, 0x1000, 0x9000, 0, "/lib/a.so", "0123");
    metadata.Thread(ThreadIndex::FromNumber(1), ThreadId::FromNumber(5), true, 1, "prog");
    metadata.Thread(ThreadIndex::FromNumber(2), ThreadId::FromNumber(6), false, 1, "sleeper");
    SampleWriter samples(&test.segment());
    LastSample sleeper;
    CounterWriter counters(&samples);
    CounterDefinition definition;
    definition.id = 1;
    definition.flags = kCounterHasNumber;
    definition.name = "counter";
    metadata.Counter(definition);
    definition.id = 2;
    definition.flags = 0;
    metadata.Counter(definition);
    metadata.CounterEnd(2, 30'000'000, 5, 0);
    CounterWriter::Written written[2];
    AddKinds();
    TestMarkerWriter markers;
    for (int64_t i = 1; i < 60; ++i) {
      samples.BeginTick(i * 1'000'000);
      for (int tries = 0; tries < 2; ++tries) {
        counters.Begin();
        counters.Add(1, {i * 1000, i, true}, written[0]);
        counters.Add(2, {i / 10, 0, false}, written[1]);
        if (counters.End()) break;
      }
      const StackFrame frames[] = {{StackFrameKind::kNative, 0x2000, 0, {}},
                                   {StackFrameKind::kInlineLabel, 0, 0x100, "L"},
                                   {StackFrameKind::kNative, 0x2000 + static_cast<uint64_t>(i), 0, {}}};
      const bool is_gap = i > 34 && i < 45;  // it runs on, and has no samples
      SampleInfo runner{ThreadIndex::FromNumber(1), i * 1'000'000, i == 45 ? 10'000'000 : 1000};
      runner.ready_ns = i % 3 * 400'000;
      if (i % 7 == 0) runner.wait.cause = WaitCause::kPoll;
      if (!is_gap) samples.Add(runner, frames);
      if (i == 1)
        samples.Add({ThreadIndex::FromNumber(2),
                     i * 1'000'000,
                     0,
                     {WaitCause::kLock, 0x1238, ThreadIndex::FromNumber(1)},
                     &sleeper},
                    frames);
      samples.RepeatDue();
      if (i == 30) samples.EndChunkForTest();
      AddTimed(markers, static_cast<uint64_t>(i));
    }
    const SegmentHeader& header = test.segment().header();
    bytes.resize(header.chunks_offset + 4 * uint64_t{header.chunk_bytes});
    std::memcpy(bytes.data(), &header, bytes.size());
    AddPlaces(0, sizeof(SegmentHeader));
    AddPlaces(4096, 4 * sizeof(ChunkRow));
    for (uint32_t i = 0; i < 4; ++i) {
      const ChunkId chunk = ChunkId::FromNumber(i);
      AddPlaces(header.chunks_offset + uint64_t{i} * header.chunk_bytes,
                test.segment().directory().row(chunk).tail.load(std::memory_order_relaxed));
    }
  }
  // A type with a field of each kind, a site of it, and one of none.
  void AddKinds() {
    StreamWriter metadata(&test.segment(), StreamId::FromNumber(kMetadataStream), StreamWriter::Supply::kPinned);
    uint8_t room[512];
    EntryBuilder type(EntryType::kMarkerType, room);
    type.U(1).U(0).T("T").T("d").T("c").T("t").T("l").T("f").U(1).T("marker-chart").U(9);
    for (uint64_t wire = 0; wire < 9; ++wire)
      type.T("k").T("").T("string").U(wire).U(wire == 1 ? kMarkerFieldOptional : 0);
    type.U(1).T("n").T("v").U(1).T("k").T("line").T("");
    metadata.Append(type.bytes(), 1);
    for (const uint64_t id : {uint64_t{2}, uint64_t{3}}) {
      EntryBuilder site(EntryType::kMarkerSite, room);
      site.U(id).U(0x100).U(id == 2 ? 1 : 0).U(id == 2 ? 0 : 1).T("s");
      metadata.Append(site.bytes(), 1);
    }
  }
  void AddTimed(TestMarkerWriter& markers, uint64_t time) {
    uint8_t room[256];
    EntryBuilder payload(EntryType::kTimedMarker, room);  // its first byte is the kind's: left out below
    payload.Fixed(int64_t{-1}).Byte(1).Fixed(uint64_t{7}).Fixed(0.5).Byte(1).T("text").Fixed(kTimeIsCycles | time);
    payload.Fixed(int64_t{9}).Fixed(uint64_t{0xabc});
    payload.Byte(7).U(1).T("o").Byte(6).U(3).Byte(3).Z(-1).Byte(5).T("x").Byte(0);
    TimedMarker marker;
    marker.site = 2;
    marker.phase = 1;
    marker.start = time;
    marker.time = kTimeIsCycles | time;
    marker.about = ThreadId::FromNumber(6);
    marker.name = "n";
    marker.category_pair = 0x200;
    markers.Append(&test.segment(), ThreadId::FromNumber(5), marker, payload.bytes().subspan(1));
    markers.TryPut(&test.segment(), uint64_t{test.segment().serial()} << 32 | 3, 1, time, time + 1);
  }
  void AddPlaces(size_t begin, size_t count) {
    for (size_t at = begin; at < begin + count; ++at) places.push_back(at);
  }
  TestSegment test;
  std::vector<uint8_t> bytes;
  std::vector<size_t> places;  // of the bytes that mean something
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static GoodSegment good;
  std::vector<uint8_t> bytes = good.bytes;
  // Each four bytes of input: where (three bytes, so that all of the file is reached) and what.
  for (size_t i = 0; i + 4 <= size; i += 4) {
    const size_t where = static_cast<size_t>(data[i]) << 16 | static_cast<size_t>(data[i + 1]) << 8 | data[i + 2];
    bytes[good.places[where % good.places.size()]] = data[i + 3];
  }
  if (size % 4 == 1) bytes.resize(bytes.size() * data[size - 1] / 256);
  const std::string path = good.test.directory() + "/input";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  ProcessProfile profile;
  ReadSegmentFile(path.c_str(), profile);
  std::string json;
  JsonWriter writer(StringSink(&json));
  // What a hostile file says of time could ask for any number of rows.
  for (ThreadRow& thread : profile.threads) {
    SampleList samples;
    for (SampleRow sample : thread.samples) {
      sample.idle_ticks = std::min(sample.idle_ticks, 4u);
      samples.push_back(sample);
    }
    thread.samples = std::move(samples);
  }
  WriteGeckoProfile(profile, writer);
  return 0;
}
