#include "tools/profile/whole_counts.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("whole counts add up to the rounded sum of the weights") {
  WholeCounts counts;
  int64_t sum = 0;
  for (int i = 0; i < 10; ++i) {
    const int64_t count = counts.Next(0.25);
    CHECK((count == 0 || count == 1));
    sum += count;
  }
  CHECK(sum == 3);  // of 2.5
  WholeCounts whole;
  CHECK(whole.Next(1) == 1);
  CHECK(whole.Next(1e15) == 1'000'000'000'000'000);
  CHECK(whole.Next(7) == 7);
  CHECK(whole.Next(1e300) > 0);
  CHECK(whole.Next(1e300) == 0);  // there is no more room
}

}  // namespace
}  // namespace geckoprof
