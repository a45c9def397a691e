#include "geckoprof/segment/segment_copy.h"

#include <errno.h>
#include <string.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "geckoprof/segment/segment_view.h"
#include "geckoprof/segment/stream_writer.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

int Append(void* bytes, const void* from, size_t size_bytes) {
  static_cast<std::string*>(bytes)->append(static_cast<const char*>(from), size_bytes);
  return 0;
}

std::string CopyOf(const Segment& segment) {
  const SegmentCopy copy(segment);
  std::string bytes;
  REQUIRE(copy.WriteTo(&Append, &bytes) == 0);
  CHECK(bytes.size() == copy.size_bytes());
  return bytes;
}

void Fill(const Segment& segment, uint16_t stream, uint8_t value, uint32_t tail) {
  const auto chunk = segment.directory().Acquire(StreamId::FromNumber(stream), ChunkDirectory::Partial::kIgnore, 5,
                                                 ChunkDirectory::Reuse::kFreeOnly);
  REQUIRE(chunk.has_value());
  memset(segment.chunk(*chunk), value, tail);
  segment.directory().row(*chunk).tail.store(tail, std::memory_order_release);
}

TEST_CASE("a copy has the chunks that were used, and is a segment") {
  TestSegment test(uint64_t{4} << 20, 6);
  Fill(test.segment(), 2, 0xab, 100);
  Fill(test.segment(), 3, 0xcd, test.segment().chunk_bytes());
  const std::string bytes = CopyOf(test.segment());
  CHECK(test.segment().directory().CountFreeAtEnd(6) == 4);
  CHECK(bytes.size() == 2 * 4096 + 2 * size_t{test.segment().chunk_bytes()});  // 64 rows take a page
  const std::string path = test.directory() + "/copy";
  std::ofstream(path) << bytes;

  SegmentView view;
  REQUIRE(view.OpenFile(path.c_str()) == SegmentView::OpenResult::kOk);
  CHECK(view.header().pid == test.segment().header().pid);
  CHECK(view.chunk_count() == test.segment().header().chunk_count);
  CHECK(view.header().prepared_chunks == 2);
  SegmentView::ChunkCopy chunk;
  REQUIRE(view.CopyChunk(0, chunk) == SegmentView::CopyResult::kCopied);
  CHECK((chunk.stream == 2 && chunk.bytes == std::vector<uint8_t>(100, 0xab)));
  REQUIRE(view.CopyChunk(1, chunk) == SegmentView::CopyResult::kCopied);
  CHECK((chunk.stream == 3 && chunk.bytes == std::vector<uint8_t>(test.segment().chunk_bytes(), 0xcd)));
}

TEST_CASE("a copy of a segment that nothing was written to is one all the same") {
  TestSegment test;
  const std::string path = test.directory() + "/copy";
  std::ofstream(path) << CopyOf(test.segment());
  SegmentView view;
  CHECK(view.OpenFile(path.c_str()) == SegmentView::OpenResult::kOk);
}

TEST_CASE("what takes no more bytes ends the copying") {
  TestSegment test;
  size_t calls = 0;
  const auto refuse = [](void* count, const void*, size_t) { return ++*static_cast<size_t*>(count) == 2 ? ENOSPC : 0; };
  CHECK(SegmentCopy(test.segment()).WriteTo(refuse, &calls) == ENOSPC);
  CHECK(calls == 2);
}

}  // namespace
}  // namespace geckoprof
