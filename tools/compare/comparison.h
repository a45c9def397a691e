#ifndef GECKOPROF_TOOLS_COMPARE_COMPARISON_H_
#define GECKOPROF_TOOLS_COMPARE_COMPARISON_H_

#include <optional>
#include <string>
#include <vector>

#include "tools/compare/permutation_test.h"
#include "tools/compare/run_figures.h"

namespace geckoprof {

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
