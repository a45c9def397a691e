#include "tools/report/gap_sums.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("gaps add up, and the longest is known") {
  GapSums sums, others;
  sums.Add(12'000'000);
  CHECK(sums.Text(0) == "12.0 ms without samples, in 1 gap");
  sums.Add(30'000'000);
  others.Add(8'000'000);
  sums.Add(others);
  CHECK(sums.count == 3);
  CHECK(sums.Text(500'000'000) == "50.0 ms (10.0 %) without samples, in 3 gaps, the longest 30.0 ms");
}

TEST_CASE("a sum of gaps stays within 64 bits") {
  GapSums sums;
  sums.Add(INT64_MAX);
  sums.Add(INT64_MAX);
  CHECK(sums.cpu_ns == INT64_MAX);
}

}  // namespace
}  // namespace geckoprof
