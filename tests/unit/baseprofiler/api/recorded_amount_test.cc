#include "api/recorded_amount.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("losses are added up, what is no loss is not") {
  Segment segment;
  REQUIRE(segment.Create({uint64_t{1} << 20, nullptr, false}, ProcessId::FromNumber(1), ProcessId::FromNumber(0)) ==
          Segment::CreateResult::kAnonymous);
  REQUIRE(segment.PrepareChunk());
  segment.CountDrop(DropReason::kNoChunk, 3);
  segment.CountDrop(DropReason::kNested, 2);
  segment.CountDrop(DropReason::kMissedTick, 100);
  segment.CountDrop(DropReason::kTextCut, 100);
  const geckoprof_buffer_info info = RecordedAmount(segment);
  CHECK(info.entries_dropped == 5);
  CHECK(info.capacity_bytes >= uint64_t{1} << 20);
  CHECK((info.used_bytes == 0 && info.samples_taken == 0));
}

}  // namespace
}  // namespace geckoprof
