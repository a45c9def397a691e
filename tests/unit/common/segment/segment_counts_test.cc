#include "geckoprof/segment/segment_counts.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <new>
#include <vector>

#include "geckoprof/segment/segment_format.h"

namespace geckoprof {
namespace {

// A header page and four rows.
class SmallSegment {
 public:
  static constexpr uint32_t kRows = 4;
  SmallSegment() : words_((4096 + kRows * sizeof(ChunkRow)) / 8, 0) {
    memcpy(header().magic, kSegmentMagic, sizeof(kSegmentMagic));
    header().version = kSegmentVersion;
    header().header_bytes = sizeof(SegmentHeader);
    header().chunk_count = kRows;
    header().prepared_chunks = kRows;
  }
  SegmentHeader& header() { return *reinterpret_cast<SegmentHeader*>(words_.data()); }
  ChunkRow& row(size_t index) { return reinterpret_cast<ChunkRow*>(words_.data() + 512)[index]; }
  size_t size_bytes() const { return words_.size() * 8; }
  auto Count() { return CountSegment(words_.data(), size_bytes()); }

 private:
  std::vector<uint64_t> words_;
};

TEST_CASE("what is no segment that we know is not counted") {
  SmallSegment segment;
  CHECK(segment.Count().has_value());
  CHECK_FALSE(CountSegment(nullptr, 4096).has_value());
  CHECK_FALSE(CountSegment(&segment.header(), 100).has_value());
  CHECK_FALSE(CountSegment(&segment.header(), 4096).has_value());  // rows past the end
  segment.header().version = kSegmentVersion + 1;
  CHECK_FALSE(segment.Count().has_value());
  CHECK(SegmentTimeZeroNs(&segment.header(), segment.size_bytes()) == 0);
  memset(static_cast<void*>(&segment.header()), 0, 64);  // given up meanwhile
  CHECK_FALSE(segment.Count().has_value());
}

TEST_CASE("the capacity is what there is, where that is less than was asked for") {
  SmallSegment segment;
  segment.header().chunk_bytes = 64 << 10;
  for (const uint64_t asked : {uint64_t{200'000}, uint64_t{256} << 10, uint64_t{260'000} + 2'145}) {
    segment.header().capacity_bytes = asked;
    CHECK(SegmentCapacityBytes(&segment.header(), segment.size_bytes()) == asked);
  }
  segment.header().capacity_bytes = 1 << 20;
  CHECK(SegmentCapacityBytes(&segment.header(), segment.size_bytes()) == 256 << 10);
  CHECK(segment.Count()->capacity_bytes == 256 << 10);
  CHECK(SegmentCapacityBytes(nullptr, 4096) == 0);
}

TEST_CASE("used bytes and the range are those of the chunks that hold something") {
  SmallSegment segment;
  segment.header().next_block = 3000;
  segment.header().capacity_bytes = 1 << 20;
  segment.header().samples_taken = 17;
  segment.header().drops[2] = 3;
  CHECK(segment.Count()->used_bytes == 0);
  CHECK(segment.Count()->range_start == segment.Count()->range_end);
  segment.row(1).word = MakeChunkWord(1, 2, ChunkState::kDone);
  segment.row(1).block = 1000;
  segment.row(1).tail = 600;
  segment.row(2).word = MakeChunkWord(1, 3, ChunkState::kInUse);
  segment.row(2).block = 2000;
  segment.row(2).tail = 10;
  segment.row(3).tail = 99;  // free
  const auto info = segment.Count();
  REQUIRE(info.has_value());
  CHECK(info->used_bytes == 610);
  CHECK(info->range_start == 1000);
  CHECK(info->range_end == 2010);
  CHECK(info->capacity_bytes == 1 << 20);
  CHECK(info->samples_taken == 17);
  CHECK(info->entries_dropped == 3);
}

TEST_CASE("ticks without a request, entries without a part and pending samples are no losses") {
  SmallSegment segment;
  const auto all = static_cast<size_t>(DropReason::kCount);
  for (size_t i = 0; i < all; ++i) segment.header().drops[i] = 1;
  CHECK(segment.Count()->entries_dropped == all - 12);
  for (const DropReason reason :
       {DropReason::kAnswerPending, DropReason::kSignalBlocked, DropReason::kMissedTick, DropReason::kUnreadableStack,
        DropReason::kUnanswered, DropReason::kMarkerStack, DropReason::kTextCut, DropReason::kSmallSignalStack,
        DropReason::kTraced, DropReason::kSignalInUse, DropReason::kInSignalHandler, DropReason::kThrottled}) {
    segment.header().drops[static_cast<size_t>(reason)] = 1000;
  }
  CHECK(segment.Count()->entries_dropped == all - 12);
}

TEST_CASE("time zero is the exec, else the constructor, else the creation") {
  SmallSegment segment;
  const auto zero = [&] { return SegmentTimeZeroNs(&segment.header(), segment.size_bytes()); };
  segment.header().created_ns = 30;
  CHECK(zero() == 30);
  segment.header().constructor_ns = 20;
  CHECK(zero() == 20);
  segment.header().exec_ns = 10;
  CHECK(zero() == 10);
}

TEST_CASE("the oldest time is that of the oldest chunk that is finished, once a chunk was used again") {
  SmallSegment segment;
  CHECK(segment.Count()->oldest_ns == 0);
  const ChunkState states[] = {ChunkState::kPinned, ChunkState::kInUse, ChunkState::kDone, ChunkState::kPartial};
  for (uint32_t i = 0; i < SmallSegment::kRows; ++i) {
    segment.row(i).word = MakeChunkWord(1, 1, states[i]);
    segment.row(i).block = 1 + i * 100;
    segment.row(i).tail = 50;
    segment.row(i).begin_ns = 1000 + i;
  }
  constexpr uint32_t chunk_bytes = 64 << 10;
  segment.header().chunk_bytes = chunk_bytes;
  segment.header().next_block = SmallSegment::kRows * chunk_bytes;
  CHECK(segment.Count()->oldest_ns == 0);
  segment.header().next_block += chunk_bytes;
  CHECK(segment.Count()->oldest_ns == 1002);
  segment.row(0).word = MakeChunkWord(1, 1, ChunkState::kReleased);
  segment.header().next_block -= chunk_bytes;
  CHECK(segment.Count()->oldest_ns == 1002);
  segment.row(2).word = MakeChunkWord(2, 1, ChunkState::kInUse);  // it was recycled
  CHECK(segment.Count()->oldest_ns == 1003);
}

}  // namespace
}  // namespace geckoprof
