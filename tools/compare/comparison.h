#ifndef GECKOPROF_TOOLS_COMPARE_COMPARISON_H_
#define GECKOPROF_TOOLS_COMPARE_COMPARISON_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// RunFigures has the figures of one run that are compared. They are plain sums by name, so that runs with different
// tables are comparable. A function is known by its name and the name of its library. Without a symbol, its address
// stands for the name, though another build of the library has it elsewhere.
struct RunFigures {
  struct Function {
    double self_share = 0, total_share = 0;  // of all samples with a stack, 0 to 1
    double self_cpu_ms = 0, total_cpu_ms = 0;
  };
  struct Marker {
    double count = 0, total_ms = 0;
    double median_ms = 0;  // of those with a duration
  };
  using FunctionKey = std::pair<std::string, std::string>;  // name, library

  double samples = 0, cpu_ms = 0;
  double bytes = 0;  // in place of samples, where a run has nothing else (MainMeasure)
  bool has_cpu_times = false;
  absl::flat_hash_map<FunctionKey, Function> functions;
  absl::flat_hash_map<std::string, Marker> markers;

  static RunFigures Of(const ProfileModel& model, bool with_idle);
};

// PermutationTest is the two-sided permutation test of a difference of means. It splits the values into groups of the
// given sizes in all ways. p is the part of the splits whose means differ at least as much as those of the given
// groups. The test assumes that under the null hypothesis runs are interchangeable. They must be made independently of
// each other under the same conditions, at best alternating. It assumes no distribution.
//
// The test tries all splits if there are at most kMaxSplits (up to 8 against 8 values). Otherwise it tries that many
// random ones, the same ones each time.
class PermutationTest {
 public:
  static constexpr size_t kMaxSplits = 20000;

  PermutationTest(size_t before, size_t after);

  // False with one value on a side: there is nothing to permute that could say anything.
  bool is_possible() const { return before_ > 1 && after_ > 1; }
  // The smallest p that groups of these sizes can have.
  double least_p() const;
  // There are as many values as were announced, before and after. All are finite.
  double P(std::span<const double> before, std::span<const double> after) const;

 private:
  double ExactP(std::span<const double> all, double difference) const;
  double RandomP(std::span<const double> all, double difference) const;

  size_t before_, after_;
  double splits_;  // that there are
};

// A figure of the runs before and after: means, and how likely chance alone makes them differ so much.
struct Change {
  double before = 0, after = 0;
  std::optional<double> p;  // none: a side has one run only

  double difference() const { return after - before; }
};

// Comparison: runs before against runs after, at least one each. A function or marker that a run does not have counts
// as 0 in it. Lifetime:  a view of the runs.
class Comparison {
 public:
  Comparison(const std::vector<RunFigures>& before, const std::vector<RunFigures>& after)
      : before_(before), after_(after), test_(before.size(), after.size()) {}

  using FunctionKey = RunFigures::FunctionKey;

  // Of all runs; those whose self share differs most first.
  std::vector<FunctionKey> Functions() const;
  // Those whose total time differs most first, then by count.
  std::vector<std::string> Markers() const;

  Change OfFunction(const FunctionKey& key, double RunFigures::Function::*figure) const;
  Change OfMarker(const std::string& name, double RunFigures::Marker::*figure) const;
  Change OfRun(double RunFigures::*figure) const;
  // Of all whose key is chosen, added up.
  template <typename IsChosen>
  Change OfFunctions(IsChosen is_chosen, double RunFigures::Function::*figure) const {
    return Of([&](const RunFigures& run) {
      double sum = 0;
      for (const auto& [key, function] : run.functions) {
        if (is_chosen(key)) sum += function.*figure;
      }
      return sum;
    });
  }
  template <typename IsChosen>
  Change OfMarkers(IsChosen is_chosen, double RunFigures::Marker::*figure) const {
    return Of([&](const RunFigures& run) {
      double sum = 0;
      for (const auto& [name, marker] : run.markers) {
        if (is_chosen(name)) sum += marker.*figure;
      }
      return sum;
    });
  }

  const PermutationTest& test() const { return test_; }
  bool has_cpu_times() const;  // all runs have
  // Either side has some, counted in samples or in bytes.
  bool has_samples() const;
  bool has_markers() const;  // likewise

 private:
  template <typename FigureOf>
  Change Of(FigureOf figure_of) const {
    std::vector<double> before, after;
    for (const RunFigures& run : before_) before.push_back(figure_of(run));
    for (const RunFigures& run : after_) after.push_back(figure_of(run));
    return Test(before, after);
  }
  Change Test(const std::vector<double>& before, const std::vector<double>& after) const;

  const std::vector<RunFigures>&before_, &after_;
  PermutationTest test_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_COMPARE_COMPARISON_H_
