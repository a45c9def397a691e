#ifndef GECKOPROF_TOOLS_COMPARE_PERMUTATION_TEST_H_
#define GECKOPROF_TOOLS_COMPARE_PERMUTATION_TEST_H_

#include <cstddef>
#include <span>

namespace geckoprof {

// The two-sided permutation test of a difference of means: the part of all ways to split the values into groups of
// these sizes whose means differ at least as much as those of the groups given. Nothing is assumed of how the values
// are distributed, but that under the null hypothesis runs are interchangeable: made independently of each other under
// the same conditions, at best alternating.
//
// All splits are tried if there are at most kMaxSplits (up to 8 against 8 values), else that many random ones, the same
// ones each time.
class PermutationTest {
 public:
  static constexpr size_t kMaxSplits = 20000;

  PermutationTest(size_t before, size_t after);

  // False with one value on a side: there is nothing to permute that could say anything.
  bool is_possible() const { return before_ > 1 && after_ > 1; }
  // The smallest p that groups of these sizes can have.
  double least_p() const;
  // Values as many as were announced, before and after; all finite.
  double P(std::span<const double> before, std::span<const double> after) const;

 private:
  double ExactP(std::span<const double> all, double difference) const;
  double RandomP(std::span<const double> all, double difference) const;

  size_t before_, after_;
  double splits_;  // that there are
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_COMPARE_PERMUTATION_TEST_H_
