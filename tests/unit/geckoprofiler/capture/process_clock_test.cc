#include "capture/process_clock.h"

#include <catch2/catch.hpp>

#include "geckoprof/base/clock.h"

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

}  // namespace
}  // namespace geckoprof
