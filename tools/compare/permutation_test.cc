#include "tools/compare/permutation_test.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace geckoprof {
namespace {

double Sum(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// How much means of the same values, added in another order, may differ in their last bits. That is of the size of the
// values: their difference may be nothing but that.
double SlackOf(std::span<const double> all) {
  double most = 0;
  for (const double value : all) most = std::max(most, std::abs(value));
  return 1e-12 * most;
}

// Whether a split is as extreme as the one given.
bool IsAtLeast(double difference, double limit, double slack) {
  return difference >= limit - 1e-9 * std::abs(limit) - slack;
}

}  // namespace

PermutationTest::PermutationTest(size_t before, size_t after) : before_(before), after_(after), splits_(1) {
  for (size_t i = 1; i <= before_ && splits_ <= kMaxSplits; ++i) {
    splits_ = splits_ * static_cast<double>(after_ + i) / static_cast<double>(i);
  }
}

// The split that was given counts; with equal groups so does its mirror image.
double PermutationTest::least_p() const {
  if (splits_ > kMaxSplits) return 1.0 / static_cast<double>(kMaxSplits + 1);
  return (before_ == after_ ? 2 : 1) / splits_;
}

double PermutationTest::P(std::span<const double> before, std::span<const double> after) const {
  if (!is_possible() || before.size() != before_ || after.size() != after_) return 1;
  std::vector<double> all(before.begin(), before.end());
  all.insert(all.end(), after.begin(), after.end());
  const double difference =
      std::abs(Sum(before) / static_cast<double>(before_) - Sum(after) / static_cast<double>(after_));
  return splits_ > kMaxSplits ? RandomP(all, difference) : ExactP(all, difference);
}

double PermutationTest::ExactP(std::span<const double> all, double difference) const {
  const double total = Sum(all), slack = SlackOf(all);
  std::vector<size_t> chosen(before_);  // ascending rows: one group
  std::iota(chosen.begin(), chosen.end(), size_t{0});
  size_t splits = 0, extreme = 0;
  while (true) {
    double sum = 0;
    for (const size_t row : chosen) sum += all[row];
    const double found = std::abs(sum / static_cast<double>(before_) - (total - sum) / static_cast<double>(after_));
    ++splits;
    extreme += IsAtLeast(found, difference, slack) ? 1 : 0;
    // The next combination: the last row that can move does, those behind it follow it.
    size_t i = before_;
    while (i > 0 && chosen[i - 1] == all.size() - before_ + i - 1) --i;
    if (i == 0) break;
    ++chosen[i - 1];
    for (; i < before_; ++i) chosen[i] = chosen[i - 1] + 1;
  }
  return static_cast<double>(extreme) / static_cast<double>(splits);
}

double PermutationTest::RandomP(std::span<const double> all, double difference) const {
  const double total = Sum(all), slack = SlackOf(all);
  std::vector<double> shuffled(all.begin(), all.end());
  std::mt19937_64 random(0x9e3779b97f4a7c15);
  size_t extreme = 1;  // the split that was given
  for (size_t round = 0; round < kMaxSplits; ++round) {
    double sum = 0;
    for (size_t i = 0; i < before_; ++i) {
      std::swap(shuffled[i], shuffled[i + random() % (shuffled.size() - i)]);
      sum += shuffled[i];
    }
    const double found = std::abs(sum / static_cast<double>(before_) - (total - sum) / static_cast<double>(after_));
    extreme += IsAtLeast(found, difference, slack) ? 1 : 0;
  }
  return static_cast<double>(extreme) / static_cast<double>(kMaxSplits + 1);
}

}  // namespace geckoprof
