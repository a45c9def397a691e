#include "tools/machine/growing_count.h"

#include <catch2/catch.hpp>

#include "geckoprof/base/clock.h"

namespace geckoprof {
namespace {

TEST_CASE("a million readings of a count that wraps add up exactly") {
  constexpr uint64_t kRange = 65'712'999'613;
  constexpr int64_t kPauseNs = 50 * kNsPerMs;
  GrowingCount count(kRange, 10'000'000'000, 10'000'000);
  uint64_t energy_uj = 17, used_uj = 0, step = 1;
  REQUIRE(count.Add(energy_uj, 1));
  for (int64_t i = 1; i <= 1'000'000; ++i) {
    step = step * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
    const uint64_t growth = (step >> 33) % 20'000'000;  // up to 400 W
    used_uj += growth;
    energy_uj = (energy_uj + growth) % kRange;
    if (!count.Add(energy_uj, 1 + i * kPauseNs)) FAIL(i);
  }
  CHECK(count.total() == used_uj);
  CHECK(used_uj / kRange > 100);
}

TEST_CASE("growth that cannot be is left out, and what follows counts") {
  GrowingCount count(1'000'000, 1'000, 10);
  CHECK_FALSE(count.is_begun());
  CHECK(count.Add(100, kNsPerSecond));
  CHECK(count.is_begun());
  CHECK(count.total() == 0);
  CHECK_FALSE(count.Add(2'000'000, 2 * kNsPerSecond));  // beyond the range
  CHECK(count.Add(600, 2 * kNsPerSecond));
  CHECK(count.total() == 500);
  CHECK_FALSE(count.Add(500'000, 3 * kNsPerSecond));
  CHECK(count.Add(500'100, 4 * kNsPerSecond));
  CHECK(count.total() == 600);
  CHECK_FALSE(count.Add(400'000, 5 * kNsPerSecond));  // nearly a whole range
  CHECK(count.total() == 600);
}

TEST_CASE("a count without a range that falls has begun anew") {
  GrowingCount count(0, 1'000, 1'000);
  CHECK(count.Add(5'000, kNsPerSecond));
  CHECK(count.Add(0, 2 * kNsPerSecond));
  CHECK(count.total() == 0);
  CHECK(count.Add(70, 3 * kNsPerSecond));
  CHECK(count.total() == 70);
}

}  // namespace
}  // namespace geckoprof
