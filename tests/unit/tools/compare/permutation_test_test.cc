#include "tools/compare/permutation_test.h"

#include <catch2/catch.hpp>
#include <vector>

namespace geckoprof {
namespace {

TEST_CASE("groups apart have the least p, equal ones p 1") {
  const PermutationTest test(4, 4);
  CHECK(test.is_possible());
  CHECK(test.least_p() == Approx(2 / 70.));
  const std::vector<double> low = {1, 2, 3, 4}, high = {11, 12, 13, 14};
  CHECK(test.P(low, high) == Approx(2 / 70.));
  CHECK(test.P(high, low) == Approx(2 / 70.));
  CHECK(test.P(low, low) == 1);
}

TEST_CASE("p by hand") {
  // Splits of {1, 2, 3} into one and two: differences of means 1.5, 0, 1.5.
  const PermutationTest test(2, 2);
  const std::vector<double> a = {0, 1}, b = {2, 10};
  // Sums of the six pairs of {0,1,2,10}: 1, 2, 10, 3, 11, 12; half of all is 6.5; |1 - 6.5| is reached by 1 and 12.
  CHECK(test.P(a, b) == Approx(2 / 6.));
  CHECK(PermutationTest(3, 2).least_p() == Approx(1 / 10.));
}

TEST_CASE("one run says nothing") {
  const PermutationTest test(1, 5);
  CHECK_FALSE(test.is_possible());
  CHECK(test.P(std::vector<double>{1}, std::vector<double>{5, 5, 5, 5, 5}) == 1);
}

TEST_CASE("many runs: random splits, the same result each time") {
  const PermutationTest test(20, 20);
  std::vector<double> low, high, mixed;
  for (int i = 0; i < 20; ++i) {
    low.push_back(i);
    high.push_back(i + 100);
    mixed.push_back(i + 0.1);
  }
  CHECK(test.P(low, high) <= 0.001);
  CHECK(test.P(low, high) >= test.least_p());
  CHECK(test.P(low, mixed) > 0.9);
  CHECK(test.P(low, mixed) == test.P(low, mixed));
}

TEST_CASE("the same values on both sides are a tie, whatever their sums say in the last bits") {
  const PermutationTest test(4, 4);
  const std::vector<double> a = {0.1, 0.2, 0.3, 0.7}, b = {0.7, 0.3, 0.2, 0.1};
  CHECK(test.P(a, b) == 1);
  const std::vector<double> c = {0.2, 0.7, 0.1, 0.3};
  CHECK(test.P(a, c) == 1);
  CHECK(test.P(c, b) == 1);
}

}  // namespace
}  // namespace geckoprof
