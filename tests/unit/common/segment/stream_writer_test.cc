#include "geckoprof/segment/stream_writer.h"

#include <sys/mman.h>

#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "geckoprof/segment/leb128.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

constexpr StreamId kStream = StreamId::FromNumber(2);

std::vector<uint8_t> Bytes(size_t count, uint8_t first) {
  std::vector<uint8_t> bytes(count);
  std::iota(bytes.begin(), bytes.end(), first);
  return bytes;
}

std::vector<std::vector<uint8_t>> ReadBlocks(const Segment& segment, ChunkId chunk) {
  std::vector<std::vector<uint8_t>> blocks;
  std::span<const uint8_t> rest(segment.chunk(chunk), segment.directory().row(chunk).tail.load());
  while (!rest.empty()) {
    Leb128Reader reader(rest);
    const auto bytes = reader.Bytes(reader.Uleb());
    REQUIRE(reader.ok());
    blocks.emplace_back(bytes.begin(), bytes.end());
    rest = rest.last(reader.remaining());
  }
  return blocks;
}

TEST_CASE("entries come back in order, with block indices that grow by their size") {
  TestSegment test;
  StreamWriter writer(&test.segment(), kStream, StreamWriter::Supply::kOrdinary);
  const auto first = writer.Append(Bytes(3, 1), 10);
  const auto second = writer.Append(Bytes(200, 5), 20);
  REQUIRE(first);
  REQUIRE(second);
  CHECK(second->block.ToNumber() == first->block.ToNumber() + 4);
  const auto blocks = ReadBlocks(test.segment(), first->chunk);
  REQUIRE(blocks.size() == 2);
  CHECK(blocks[0] == Bytes(3, 1));
  CHECK(blocks[1] == Bytes(200, 5));
  CHECK(test.segment().directory().row(first->chunk).last_ns.load() == 20);
}

TEST_CASE("a full chunk is closed and the next one begun") {
  TestSegment test;
  StreamWriter writer(&test.segment(), kStream, StreamWriter::Supply::kOrdinary);
  const auto first = writer.Append(Bytes(1000, 0), 1);
  REQUIRE(first);
  std::optional<StreamWriter::Place> place = first;
  while (place->chunk == first->chunk) place = writer.Append(Bytes(1000, 0), 2);
  CHECK(writer.chunk_serial() == 2);
  CHECK(ChunkStateIn(test.segment().directory().row(first->chunk).word.load()) == ChunkState::kDone);
  CHECK(place->block.ToNumber() == first->block.ToNumber() + test.segment().chunk_bytes());
}

TEST_CASE("an entry may fill a chunk exactly; one that is larger is dropped and counted") {
  TestSegment test;
  StreamWriter writer(&test.segment(), kStream, StreamWriter::Supply::kOrdinary);
  const size_t chunk_bytes = test.segment().chunk_bytes();
  const size_t largest = chunk_bytes - Uleb128Bytes(chunk_bytes - 2);
  CHECK(writer.Append(Bytes(largest, 0), 1));
  CHECK_FALSE(writer.Append(Bytes(largest + 1, 0), 1));
  CHECK(test.drops(DropReason::kTooLarge) == 1);
  CHECK(writer.Append(Bytes(1, 0), 1));
}

TEST_CASE("at the limit the oldest chunk goes, and writing never stops") {
  TestSegment test(1 << 20, 3);
  StreamWriter writer(&test.segment(), kStream, StreamWriter::Supply::kOrdinary);
  for (int i = 0; i < 1000; ++i) REQUIRE(writer.Append(Bytes(1000, static_cast<uint8_t>(i)), i));
  CHECK(test.drops(DropReason::kNoChunk) == 0);
}

TEST_CASE("without any chunk the entry is dropped and counted") {
  TestSegment test(1 << 20, 0);
  munmap(test.segment().chunk(ChunkId::FromNumber(0)), test.segment().chunk_bytes());  // not even the first can be had
  StreamWriter writer(&test.segment(), kStream, StreamWriter::Supply::kOrdinary);
  CHECK_FALSE(writer.Append(Bytes(10, 0), 1));
  CHECK(test.drops(DropReason::kNoChunk) == 1);
}

TEST_CASE("a stream goes on with the half-filled chunk of one that ended") {
  TestSegment test;
  StreamWriter first(&test.segment(), StreamId::FromNumber(3), StreamWriter::Supply::kContinuePartial);
  const auto place = first.Append(Bytes(10, 0), 1);
  first.ReleasePartial();
  StreamWriter second(&test.segment(), StreamId::FromNumber(3), StreamWriter::Supply::kContinuePartial);
  const auto next = second.Append(Bytes(10, 50), 2);
  REQUIRE(next);
  CHECK(next->chunk == place->chunk);
  CHECK(ReadBlocks(test.segment(), next->chunk).size() == 2);
}

TEST_CASE("a pinned stream stops at its cap and says so") {
  TestSegment test(1 << 20, 64);
  StreamWriter writer(&test.segment(), StreamId::FromNumber(1), StreamWriter::Supply::kPinned);
  int stored = 0;
  while (writer.Append(Bytes(1000, 0), 1)) ++stored;
  CHECK(stored > 100);
  CHECK(test.drops(DropReason::kMetadataFull) == 1);
}

}  // namespace
}  // namespace geckoprof
