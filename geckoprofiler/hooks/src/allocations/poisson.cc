#include "allocations/poisson.h"

#include <bit>

namespace geckoprof {
namespace {

constexpr double kLn2 = 0.69314718055994530942;
constexpr double kLargest = 9.0e18;  // fits into int64_t

}  // namespace

// x = m * 2^e with m from 0.7 to 1.4. The logarithm of m is 2 * atanh((m - 1) / (m + 1)), as a series.
double NaturalLog(double x) {
  const auto bits = std::bit_cast<uint64_t>(x);
  auto exponent = static_cast<int64_t>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1023} << 52);
  if (m > 1.4142135623730951) {
    m /= 2;
    ++exponent;
  }
  const double s = (m - 1) / (m + 1), square = s * s;
  double sum = 0;
  for (int term = 19; term >= 1; term -= 2) sum = sum * square + 1.0 / term;
  return static_cast<double>(exponent) * kLn2 + 2 * s * sum;
}

// exp(-x) = 2^-k * exp(-r) with r below ln 2. A small x keeps its digits, because the series is of 1 - exp(-x) itself.
double OneMinusExp(double x) {
  if (x > 40) return 1;
  const auto halvings = static_cast<int>(x / kLn2);
  const double r = x - halvings * kLn2;
  double share = 0;  // 1 - exp(-r) = r * (1 - r/2 * (1 - r/3 * ...))
  for (int term = 18; term >= 2; --term) share = r / term * (1 - share);
  share = r * (1 - share);
  return halvings == 0 ? share : 1 - (1 - share) / static_cast<double>(uint64_t{1} << halvings);
}

int64_t BytesToNextHit(double mean_bytes, uint64_t random) {
  const double uniform = (static_cast<double>(random >> 11) + 0.5) / 9007199254740992.0;  // between 0 and 1
  const double bytes = -NaturalLog(uniform) * mean_bytes;
  return bytes >= kLargest ? static_cast<int64_t>(kLargest) : static_cast<int64_t>(bytes) + 1;
}

int64_t SampleWeight(uint64_t bytes, double mean_bytes) {
  const double size = static_cast<double>(bytes);
  const double weight = mean_bytes <= 1 ? size : size / OneMinusExp((size + 1) / mean_bytes);
  return weight >= kLargest ? static_cast<int64_t>(kLargest) : static_cast<int64_t>(weight + 0.5);
}

}  // namespace geckoprof
