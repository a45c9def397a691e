#include "capture/process_clock.h"

#include <catch2/catch.hpp>

#include "fake_base.h"
#include "geckoprof/base/clock.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

TEST_CASE("the process began before now, not long ago, and always at the same time") {
  const BaseLink base(nullptr);
  const int64_t start_ns = ProcessStartNs(base);
  const int64_t now_ns = MonotonicNs();
  CHECK(start_ns <= now_ns);
  CHECK(start_ns > now_ns - 600 * kNsPerSecond);  // a test program's time-out
  CHECK(ProcessStartNs(base) == start_ns);
}

// Else profiler_time would jump at a start.
TEST_CASE("the process began at the same time whatever is recorded meanwhile") {
  FakeBase fake;
  const BaseLink base(&fake.table);
  const int64_t before_ns = ProcessStartNs(base);
  TestSegment test;  // made now, so its own time zero is later
  fake.segment = &test.segment().header();
  fake.segment_bytes = test.segment().header().segment_bytes;
  fake.StartByBase();
  CHECK(ProcessStartNs(base) == before_ns);
  fake.StopByBase();
  fake.segment = nullptr;
  CHECK(ProcessStartNs(base) == before_ns);
}

}  // namespace
}  // namespace geckoprof
