#include "geckoprof/entries/marker_stack_copies.h"

#include <catch2/catch.hpp>
#include <vector>

namespace geckoprof {
namespace {

constexpr uint64_t kHalf = 1000;

ChunkUse Chunk(uint64_t block) { return {ChunkId::FromNumber(1), block}; }

std::vector<StackFrame> Frames(uint64_t address) { return {{StackFrameKind::kNative, address, 0, {}}}; }

TEST_CASE("a marker's stack is due when half of all chunks were begun since its chunk") {
  MarkerStackCopies copies;
  MarkerStackCopies::Copy copy;
  CHECK_FALSE(copies.RemoveDue(Chunk(0), UINT64_MAX, kHalf, copy));
  copies.Add(7, Chunk(50), Chunk(100), Frames(0x1000));
  copies.Add(8, Chunk(60), Chunk(300), Frames(0x2000));
  CHECK_FALSE(copies.RemoveDue(Chunk(900), 1099, kHalf, copy));
  CHECK_FALSE(copies.RemoveDue(Chunk(100), 5000, kHalf, copy));  // still written, so it is not recycled
  REQUIRE(copies.RemoveDue(Chunk(900), 1100, kHalf, copy));
  CHECK(copy.id == 7);
  CHECK(copy.marker.block == 50);
  std::vector<StackFrame> frames;
  copy.stack.CopyTo(frames);
  REQUIRE(frames.size() == 1);
  CHECK(frames[0].value == 0x1000);
  CHECK_FALSE(copies.RemoveDue(Chunk(900), 1100, kHalf, copy));
  REQUIRE(copies.RemoveDue(Chunk(900), 1300, kHalf, copy));
  CHECK(copy.id == 8);
  CHECK_FALSE(copies.RemoveDue(Chunk(900), 9999, kHalf, copy));
}

TEST_CASE("there is a limit of memory for markers' stacks, and the oldest go") {
  MarkerStackCopies copies;
  std::vector<StackFrame> frames;
  for (uint64_t i = 0; i < 100; ++i) frames.push_back({StackFrameKind::kNative, i << 40, 0, {}});
  constexpr uint64_t kAdded = 5000;
  for (uint64_t id = 1; id <= kAdded; ++id) copies.Add(id, Chunk(1), Chunk(id), frames);
  MarkerStackCopies::Copy copy;
  uint64_t count = 0, last_id = 0, bytes = 0;
  while (copies.RemoveDue(Chunk(UINT64_MAX), UINT64_MAX, kHalf, copy)) {
    ++count;
    last_id = copy.id;
    bytes += sizeof(copy) + copy.stack.size_bytes();
  }
  CHECK(last_id == kAdded);
  CHECK(count < kAdded);
  CHECK(bytes <= MarkerStackCopies::kMaxBytes);
  CHECK(bytes > MarkerStackCopies::kMaxBytes * 9 / 10);
}

TEST_CASE("markers' stacks, too, forget code that has changed") {
  MarkerStackCopies copies;
  copies.Add(1, Chunk(1), Chunk(1), Frames(0x1000));
  copies.Add(2, Chunk(1), Chunk(1), Frames(0x5000));
  copies.ForgetCode({0x5000, 0x6000});
  MarkerStackCopies::Copy copy;
  std::vector<StackFrame> frames;
  for (const StackFrameKind kind : {StackFrameKind::kNative, StackFrameKind::kReason}) {
    REQUIRE(copies.RemoveDue(Chunk(9), 9999, kHalf, copy));
    copy.stack.CopyTo(frames);
    CHECK(frames.at(0).kind == kind);
  }
}

}  // namespace
}  // namespace geckoprof
