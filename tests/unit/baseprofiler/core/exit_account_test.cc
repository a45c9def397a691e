#include <catch2/catch.hpp>

#include "core/process_end.h"
#include "geckoprof/base/clock.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

TEST_CASE("ticks since the sampler's last one are missed, but for those that may be under way") {
  TestSegment test;
  const int64_t created_ns = test.segment().header().created_ns;
  CountMissedAtExit(test.segment(), kNsPerMs, created_ns + 2 * kNsPerMs);
  CHECK(test.drops(DropReason::kMissedTick) == 0);
  CountMissedAtExit(test.segment(), kNsPerMs, created_ns + 100 * kNsPerMs);  // there was none
  CHECK(test.drops(DropReason::kMissedTick) == 98);
  test.segment().header().heartbeat_ns = created_ns + 95 * kNsPerMs;
  CountMissedAtExit(test.segment(), kNsPerMs, created_ns + 100 * kNsPerMs);
  CHECK(test.drops(DropReason::kMissedTick) == 98 + 3);
  CountMissedAtExit(test.segment(), kNsPerMs, created_ns);
  CHECK(test.drops(DropReason::kMissedTick) == 98 + 3);
}

TEST_CASE("what was owed is counted, and a long interval owes the clocks") {
  TestSegment test;
  CountPendingAtExit(test.segment());
  CHECK(test.drops(DropReason::kPendingAtExit) == 1);
  CHECK(HasPendingAtExit(100 * kNsPerMs));
}

}  // namespace
}  // namespace geckoprof
