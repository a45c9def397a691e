#include "allocations/poisson.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

namespace geckoprof {
namespace {

TEST_CASE("the logarithm and the exponential function are those of libm") {
  for (double x = 1e-18; x < 1e18; x *= 1.37) CHECK(NaturalLog(x) == Approx(std::log(x)).epsilon(1e-12).margin(1e-13));
  for (double x = 1e-15; x < 100; x *= 1.23) CHECK(OneMinusExp(x) == Approx(-std::expm1(-x)).epsilon(1e-12));
  CHECK(OneMinusExp(0) == 0);
}

TEST_CASE("distances have the mean and are at least 1") {
  std::mt19937_64 random(1);
  double sum = 0;
  constexpr int kDraws = 200'000;
  for (int i = 0; i < kDraws; ++i) {
    const int64_t bytes = BytesToNextHit(1000, random());
    REQUIRE(bytes >= 1);
    sum += static_cast<double>(bytes);
  }
  CHECK(sum / kDraws == Approx(1000.5).epsilon(0.01));
  CHECK(BytesToNextHit(1, 0) >= 1);
  CHECK(BytesToNextHit(1e12, 0) > 0);  // the smallest random number gives the longest distance
  CHECK(BytesToNextHit(1, UINT64_MAX) == 1);
}

// Returns the sum of the weights of the samples of a program that allocates these sizes in turn.
double SampledBytes(const std::vector<uint64_t>& sizes, size_t count, double mean_bytes, uint64_t seed) {
  std::mt19937_64 random(seed);
  int64_t left = BytesToNextHit(mean_bytes, random());
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t bytes = sizes[i % sizes.size()];
    left -= static_cast<int64_t>(bytes) + 1;
    if (left >= 0) continue;
    left = BytesToNextHit(mean_bytes, random());
    sum += static_cast<double>(SampleWeight(bytes, mean_bytes));
  }
  return sum;
}

TEST_CASE("weights are unbiased, whatever the sizes") {
  constexpr double kMean = 512 * 1024;
  struct Program {
    std::vector<uint64_t> sizes;
    size_t count;
  };
  // The last one is periodic: its sizes add up to the mean, and one size takes nearly all of that.
  const std::vector<Program> programs = {{{1}, 2'000'000},           {{16}, 500'000},
                                         {{512 * 1024}, 100},        {{64 * 1024 * 1024}, 10},
                                         {{1, 4096, 100'000}, 3000}, {{512 * 1024 - 4097, 4096}, 200}};
  for (const Program& program : programs) {
    double true_bytes = 0;
    for (size_t i = 0; i < program.count; ++i)
      true_bytes += static_cast<double>(program.sizes[i % program.sizes.size()]);
    constexpr int kRuns = 200;
    double sum = 0, squares = 0;
    for (uint64_t seed = 1; seed <= kRuns; ++seed) {
      const double ratio = SampledBytes(program.sizes, program.count, kMean, seed) / true_bytes;
      sum += ratio;
      squares += ratio * ratio;
    }
    const double mean = sum / kRuns, variance = std::max(squares / kRuns - mean * mean, 0.0);
    INFO("size " << program.sizes[0] << ", mean ratio " << mean);
    CHECK(std::abs(mean - 1) <= 3 * std::sqrt(variance / kRuns) + 1e-6);
  }
}

TEST_CASE("a mean of 1 records every byte as it is") {
  for (const uint64_t bytes : {0u, 1u, 100u}) CHECK(SampleWeight(bytes, 1) == static_cast<int64_t>(bytes));
}

}  // namespace
}  // namespace geckoprof
