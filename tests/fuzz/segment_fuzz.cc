// Reading a segment that somebody else made: a good one, with changes at places that the input chooses.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "geckoprof/entries/marker_writer.h"
#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/entries/sample_writer.h"
#include "geckoprof/json/json_writer.h"
#include "geckoprof/streaming/gecko_writer.h"
#include "geckoprof/streaming/segment_reader.h"
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
    SampleWriter samples(&test.segment());
    MarkerWriter markers;
    for (int64_t i = 1; i < 60; ++i) {
      samples.BeginTick(i * 1'000'000);
      const StackFrame frames[] = {{StackFrameKind::kNative, 0x2000, 0, {}},
                                   {StackFrameKind::kInlineLabel, 0, 0x100, "L"},
                                   {StackFrameKind::kNative, 0x2000 + static_cast<uint64_t>(i), 0, {}}};
      samples.Add({ThreadIndex::FromNumber(1), i * 1'000'000, 1000, false}, frames);
      markers.Put(&test.segment(), ThreadId::FromNumber(5), {"M", 0x100, 1, i, i + 1, true, "t"}, i);
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
    for (SampleRow& sample : thread.samples) sample.idle_ticks = std::min(sample.idle_ticks, 4u);
  }
  WriteGeckoProfile(profile, {}, writer);
  return 0;
}
