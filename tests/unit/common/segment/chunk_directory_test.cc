#include "geckoprof/segment/chunk_directory.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <set>
#include <thread>
#include <vector>

#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

constexpr StreamId kStream = StreamId::FromNumber(7);
constexpr auto kIgnore = ChunkDirectory::Partial::kIgnore;
constexpr auto kContinue = ChunkDirectory::Partial::kContinue;

uint32_t Generation(const ChunkDirectory& directory, ChunkId chunk) {
  return ChunkGeneration(directory.row(chunk).word.load());
}
ChunkState State(const ChunkDirectory& directory, ChunkId chunk) {
  return ChunkStateIn(directory.row(chunk).word.load());
}

TEST_CASE("chunks are taken in order, with growing block ranges that do not overlap") {
  TestSegment test(1 << 20, 4);
  ChunkDirectory directory = test.segment().directory();
  uint64_t last_end = 1;
  for (uint32_t i = 0; i < 4; ++i) {
    const auto chunk = directory.Acquire(kStream, kIgnore, 100 + i);
    REQUIRE(chunk);
    CHECK(chunk->ToNumber() == i);
    CHECK(directory.row(*chunk).block.load() == last_end);
    CHECK(directory.row(*chunk).begin_ns.load() == 100 + i);
    CHECK(State(directory, *chunk) == ChunkState::kInUse);
    last_end += test.segment().chunk_bytes();
  }
  CHECK_FALSE(directory.HasFree());
  CHECK_FALSE(directory.Acquire(kStream, kIgnore, 1));  // all in use: nothing may be taken away
}

TEST_CASE("with nothing free the one acquired longest ago is recycled, and its generation changes") {
  TestSegment test(1 << 20, 3);
  ChunkDirectory directory = test.segment().directory();
  std::vector<ChunkId> chunks;
  for (int i = 0; i < 3; ++i) chunks.push_back(*directory.Acquire(kStream, kIgnore, i));
  directory.Finish(chunks[2]);
  directory.Finish(chunks[0]);
  directory.row(chunks[0]).tail.store(99);
  const uint32_t before = Generation(directory, chunks[0]);
  const auto recycled = directory.Acquire(kStream, kIgnore, 5);
  REQUIRE(recycled);
  CHECK(*recycled == chunks[0]);
  CHECK(Generation(directory, *recycled) == before + 1);
  CHECK(directory.row(*recycled).tail.load() == 0);
}

TEST_CASE("who wants a free chunk only leaves what is done and half-filled alone") {
  TestSegment test(1 << 20, 2);
  ChunkDirectory directory = test.segment().directory();
  directory.Finish(*directory.Acquire(kStream, kIgnore, 1));
  directory.ReleasePartial(*directory.Acquire(kStream, kIgnore, 2));
  CHECK_FALSE(directory.Acquire(kStream, kIgnore, 3, ChunkDirectory::Reuse::kFreeOnly));
  CHECK_FALSE(directory.AcquirePinned(kStream, 3, ChunkDirectory::Reuse::kFreeOnly));
  CHECK(directory.Acquire(kStream, kIgnore, 3));
}

TEST_CASE("a chunk that was left half-filled is continued with its bytes, or recycled last") {
  TestSegment test(1 << 20, 2);
  ChunkDirectory directory = test.segment().directory();
  const ChunkId chunk = *directory.Acquire(kStream, kIgnore, 10);
  directory.row(chunk).tail.store(50);
  directory.ReleasePartial(chunk);
  const uint32_t generation = Generation(directory, chunk);
  const auto continued = directory.Acquire(StreamId::FromNumber(8), kContinue, 20);
  REQUIRE(continued);
  CHECK(*continued == chunk);
  CHECK(Generation(directory, chunk) == generation);
  CHECK(directory.row(chunk).tail.load() == 50);
  CHECK(directory.row(chunk).begin_ns.load() == 10);
  directory.ReleasePartial(chunk);
  const auto other = directory.Acquire(kStream, kIgnore, 30);
  REQUIRE(other);
  CHECK_FALSE(*other == chunk);
  const auto last = directory.Acquire(kStream, kIgnore, 40);
  REQUIRE(last);
  CHECK(*last == chunk);
  CHECK(Generation(directory, chunk) == generation + 1);
}

TEST_CASE("pinned chunks are never recycled and have a cap") {
  constexpr uint32_t kPrepared = 40;
  TestSegment test(1 << 20, kPrepared);
  ChunkDirectory directory = test.segment().directory();
  const uint32_t cap = test.segment().header().chunk_count / 4;
  REQUIRE(cap < kPrepared);
  uint32_t pinned = 0;
  while (directory.AcquirePinned(kStream, 1)) ++pinned;
  CHECK(pinned == cap);
  for (uint32_t i = 0; i < kPrepared; ++i) {
    if (const auto chunk = directory.Acquire(kStream, kIgnore, 2)) directory.Finish(*chunk);
  }
  for (uint32_t i = 0; i < pinned; ++i) CHECK(State(directory, ChunkId::FromNumber(i)) == ChunkState::kPinned);
}

TEST_CASE("many threads never share a chunk") {
  TestSegment test(uint64_t{4} << 20, 16);
  std::vector<std::atomic<int>> owners(16);
  std::atomic<int> conflicts{0};
  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      ChunkDirectory mine = test.segment().directory();
      for (int i = 0; i < 3000; ++i) {
        const auto chunk =
            mine.Acquire(StreamId::FromNumber(static_cast<uint16_t>(10 + t)), i % 2 == 0 ? kIgnore : kContinue, i);
        if (!chunk) continue;
        ++taken;
        if (owners[chunk->ToNumber()].exchange(t + 1) != 0) ++conflicts;
        owners[chunk->ToNumber()].store(0);
        if (i % 3 == 0) {
          mine.ReleasePartial(*chunk);
        } else {
          mine.Finish(*chunk);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(conflicts == 0);
  CHECK(taken > 3000);
}

TEST_CASE("finished chunks that are old enough are released, and serve again when they have pages") {
  TestSegment test(1 << 20, 4);
  ChunkDirectory directory = test.segment().directory();
  std::vector<ChunkId> chunks;
  for (int i = 0; i < 4; ++i) {
    chunks.push_back(*directory.Acquire(kStream, kIgnore, 100 + i));
    directory.row(chunks.back()).tail.store(9);
  }
  const ChunkUse use = {chunks[0], directory.row(chunks[0]).block.load()};
  directory.Finish(chunks[0]);
  directory.ReleasePartial(chunks[1]);
  directory.Finish(chunks[2]);
  CHECK(directory.Release(chunks[0], 102) == 100);
  CHECK(directory.Release(chunks[0], 102) == 0);  // no more
  CHECK(directory.Release(chunks[1], 102) == 101);
  CHECK(directory.Release(chunks[2], 102) == 0);  // too new
  CHECK(directory.Release(chunks[3], 200) == 0);  // in use
  CHECK(State(directory, chunks[0]) == ChunkState::kReleased);
  CHECK(Generation(directory, chunks[0]) == 2);
  CHECK_FALSE(directory.IsCurrent(use));
  // A released chunk is not recycled.
  CHECK(directory.Acquire(kStream, kIgnore, 300) == chunks[2]);
  CHECK_FALSE(directory.Acquire(kStream, kIgnore, 301));
  // The hand is at a chunk in use, and those after it are released.
  test.segment().header().clock_hand.store(3);
  REQUIRE(directory.FindReleased() == chunks[0]);
  directory.Restore(chunks[0]);
  CHECK_FALSE(directory.FindReleased());
  CHECK(directory.Acquire(kStream, kIgnore, 302) == chunks[0]);
  CHECK(directory.row(chunks[0]).tail.load() == 0);
}

}  // namespace
}  // namespace geckoprof
