#include "geckoprof/segment/segment_view.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstddef>
#include <fstream>
#include <thread>
#include <vector>

#include "geckoprof/segment/leb128.h"
#include "geckoprof/segment/stream_writer.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

constexpr StreamId kStream = StreamId::FromNumber(2);

std::vector<uint8_t> Filled(size_t count, uint8_t value) { return std::vector<uint8_t>(count, value); }

TEST_CASE("a file and the own mapping read alike") {
  TestSegment test;
  StreamWriter writer(&test.segment(), kStream, StreamWriter::Supply::kOrdinary);
  REQUIRE(writer.Append(Filled(5, 9), 77));
  SegmentView file;
  SegmentView own;
  REQUIRE(file.OpenFile(test.path().c_str()) == SegmentView::OpenResult::kOk);
  REQUIRE(own.OpenMapped(test.segment()) == SegmentView::OpenResult::kOk);
  for (const SegmentView* view : {&file, &own}) {
    SegmentView::ChunkCopy copy;
    REQUIRE(view->CopyChunk(0, copy) == SegmentView::CopyResult::kCopied);
    CHECK(copy.stream == 2);
    CHECK(copy.begin_ns == 77);
    CHECK(copy.bytes == std::vector<uint8_t>{5, 9, 9, 9, 9, 9});
    CHECK(view->CopyChunk(1, copy) == SegmentView::CopyResult::kEmpty);
  }
}

TEST_CASE("a chunk is described from its row alone, also where its bytes are missing") {
  TestSegment test;
  StreamWriter writer(&test.segment(), kStream, StreamWriter::Supply::kOrdinary);
  const auto place = writer.Append(Filled(5, 9), 77);
  REQUIRE(place);
  REQUIRE(truncate(test.path().c_str(), static_cast<off_t>(test.segment().header().chunks_offset)) == 0);
  SegmentView view;
  REQUIRE(view.OpenFile(test.path().c_str()) == SegmentView::OpenResult::kOk);
  SegmentView::ChunkCopy copy;
  REQUIRE(view.DescribeChunk(0, copy) == SegmentView::CopyResult::kCopied);
  CHECK(copy.stream == 2);
  CHECK(copy.state == ChunkState::kInUse);
  CHECK(copy.begin_ns == 77);
  CHECK(copy.last_ns == 77);
  CHECK(copy.block == place->block.ToNumber());
  CHECK(copy.bytes.empty());
  CHECK(view.DescribeChunk(1, copy) == SegmentView::CopyResult::kEmpty);
  test.segment().directory().row(ChunkId::FromNumber(0)).tail.store(test.segment().chunk_bytes() + 1);
  CHECK(view.DescribeChunk(0, copy) == SegmentView::CopyResult::kDamaged);
}

TEST_CASE("what is no segment, newer or damaged is told apart") {
  TestSegment test;
  SegmentView view;
  CHECK(view.OpenFile("/no/such") == SegmentView::OpenResult::kCannotOpen);
  CHECK(view.open_error() == ENOENT);
  CHECK(view.OpenFile("/dev/null") == SegmentView::OpenResult::kNotASegment);
  const std::string other = test.directory() + "/text";
  std::ofstream(other) << std::string(10'000, 'x');
  CHECK(view.OpenFile(other.c_str()) == SegmentView::OpenResult::kNotASegment);

  test.segment().header().version = kSegmentVersion + 1;
  CHECK(view.OpenFile(test.path().c_str()) == SegmentView::OpenResult::kNewerVersion);
  test.segment().header().version = kSegmentVersion;
  test.segment().header().chunk_count = kMaxChunks + 1;
  CHECK(view.OpenFile(test.path().c_str()) == SegmentView::OpenResult::kDamaged);
}

TEST_CASE("of the own mapping only prepared chunks are looked at, of a file all") {
  TestSegment test(uint64_t{16} << 20, 3);
  SegmentView own, file;
  REQUIRE(own.OpenMapped(test.segment()) == SegmentView::OpenResult::kOk);
  REQUIRE(file.OpenFile(test.path().c_str()) == SegmentView::OpenResult::kOk);
  CHECK(own.chunk_count() == 3);
  CHECK(file.chunk_count() == test.segment().header().chunk_count);
}

TEST_CASE("a header of an earlier version is read with zeros where it ends") {
  TestSegment test;
  SegmentHeader& header = test.segment().header();
  header.pause_counts[0] = 5;
  header.drops[0] = 6;
  header.header_bytes = offsetof(SegmentHeader, pause_counts);
  SegmentView view;
  REQUIRE(view.OpenFile(test.path().c_str()) == SegmentView::OpenResult::kOk);
  CHECK(view.header().pause_counts[0].load() == 0);
  CHECK(view.header().drops[0].load() == 6);
  header.header_bytes = offsetof(SegmentHeader, state);
  CHECK(view.OpenFile(test.path().c_str()) == SegmentView::OpenResult::kDamaged);
  header.header_bytes = UINT32_MAX;  // a later one's: what it has more is not read
  CHECK(view.OpenFile(test.path().c_str()) == SegmentView::OpenResult::kOk);
}

TEST_CASE("a file that was cut gives errors for what is missing") {
  TestSegment test;
  StreamWriter writer(&test.segment(), kStream, StreamWriter::Supply::kOrdinary);
  REQUIRE(writer.Append(Filled(100, 1), 1));
  REQUIRE(truncate(test.path().c_str(), static_cast<off_t>(test.segment().header().chunks_offset + 10)) == 0);
  SegmentView view;
  REQUIRE(view.OpenFile(test.path().c_str()) == SegmentView::OpenResult::kOk);
  SegmentView::ChunkCopy copy;
  CHECK(view.CopyChunk(0, copy) == SegmentView::CopyResult::kDamaged);
}

TEST_CASE("rows and chunks in holes of a file are not read") {
  TestSegment test;
  StreamWriter writer(&test.segment(), kStream, StreamWriter::Supply::kOrdinary);
  REQUIRE(writer.Append(Filled(100, 1), 1));
  SegmentHeader& header = test.segment().header();
  header.chunk_count = kMaxChunks;
  header.chunks_offset = uint64_t{1} << 30;
  header.segment_bytes = header.chunks_offset + uint64_t{kMaxChunks} * header.chunk_bytes;
  REQUIRE(truncate(test.path().c_str(), static_cast<off_t>(header.segment_bytes)) == 0);
  SegmentView view;
  REQUIRE(view.OpenFile(test.path().c_str()) == SegmentView::OpenResult::kOk);
  uint32_t visited = 0, used = 0;
  view.DescribeChunks([&](uint32_t index, SegmentView::CopyResult result, const SegmentView::ChunkCopy&) {
    ++visited;
    if (result == SegmentView::CopyResult::kCopied) used += index == 0 ? 1 : 1000;
  });
  CHECK(used == 1);
  CHECK(visited < kMaxChunks / 8);
  SegmentView::ChunkCopy copy;
  CHECK(view.CopyChunk(0, copy) == SegmentView::CopyResult::kDamaged);  // the row claims bytes in a hole
  CHECK(copy.bytes.empty());
}

TEST_CASE("a row that makes no sense is damage") {
  TestSegment test;
  StreamWriter writer(&test.segment(), kStream, StreamWriter::Supply::kOrdinary);
  REQUIRE(writer.Append(Filled(100, 1), 1));
  SegmentView view;
  REQUIRE(view.OpenMapped(test.segment()) == SegmentView::OpenResult::kOk);
  SegmentView::ChunkCopy copy;
  test.segment().directory().row(ChunkId::FromNumber(0)).tail.store(test.segment().chunk_bytes() + 1);
  CHECK(view.CopyChunk(0, copy) == SegmentView::CopyResult::kDamaged);
}

// A segment of which a chunk is taken by somebody else while its bytes are copied.
struct TakenMeanwhile {
  Segment& segment;
  bool new_generation;
  bool stops = false;

  static const void* At(const void* context, uint64_t offset, uint64_t* bytes) {
    const auto& self = *static_cast<const TakenMeanwhile*>(context);
    if (offset >= self.segment.header().chunks_offset && !self.stops) {
      ChunkRow& row = self.segment.directory().row(ChunkId::FromNumber(0));
      const uint64_t word = row.word.load();
      if (self.new_generation) {
        row.word.store(MakeChunkWord(ChunkGeneration(word) + 1, ChunkStream(word), ChunkStateIn(word)));
      } else {
        row.block.store(row.block.load() + self.segment.chunk_bytes());
      }
    }
    return self.segment.At(offset, bytes);
  }
};

TEST_CASE("a chunk that is taken while it is copied is gone, at whatever point of that") {
  for (const bool new_generation : {true, false}) {
    TestSegment test;
    StreamWriter writer(&test.segment(), kStream, StreamWriter::Supply::kOrdinary);
    REQUIRE(writer.Append(Filled(5, 9), 77));
    TakenMeanwhile meanwhile{test.segment(), new_generation};
    SegmentView view;
    REQUIRE(view.OpenMapping({&TakenMeanwhile::At, &meanwhile}) == SegmentView::OpenResult::kOk);
    SegmentView::ChunkCopy copy;
    CHECK(view.CopyChunk(0, copy) == SegmentView::CopyResult::kGone);
    meanwhile.stops = true;
    CHECK(view.CopyChunk(0, copy) == SegmentView::CopyResult::kCopied);
  }
}

// Every copy that counts must be whole: all entries of a chunk carry one value, which changes with each recycling.
TEST_CASE("a reader beside a writer that recycles never sees a mixture") {
  TestSegment test(1 << 20, 8);
  std::atomic<bool> done{false};
  std::atomic<bool> enough{false};  // the writer goes on until the reader has seen something
  std::thread writing([&] {
    StreamWriter writer(&test.segment(), kStream, StreamWriter::Supply::kOrdinary);
    for (uint32_t i = 0; i < 60'000 || !enough; ++i) {
      writer.MakeRoom(300, i);
      const auto value = static_cast<uint8_t>(writer.chunk_serial());
      writer.Append(std::vector<uint8_t>(200, value), i);
    }
    done = true;
  });
  SegmentView view;
  REQUIRE(view.OpenMapped(test.segment()) == SegmentView::OpenResult::kOk);
  uint64_t copied = 0;
  uint64_t mixed = 0;
  SegmentView::ChunkCopy copy;
  while (!done) {
    for (uint32_t i = 0; i < 8; ++i) {
      if (view.CopyChunk(i, copy) != SegmentView::CopyResult::kCopied) continue;
      if (++copied == 20) enough = true;
      Leb128Reader reader(copy.bytes);
      int value = -1;
      while (reader.remaining() > 0 && reader.ok()) {
        for (const uint8_t byte : reader.Bytes(reader.Uleb())) {
          if (value == -1) value = byte;
          if (byte != value) ++mixed;
        }
      }
      if (!reader.ok()) ++mixed;
    }
  }
  writing.join();
  CHECK(copied >= 20);
  CHECK(mixed == 0);
}

}  // namespace
}  // namespace geckoprof
