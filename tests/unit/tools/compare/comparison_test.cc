#include "tools/compare/comparison.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

RunFigures Run(double f, double g, double marker_ms) {
  RunFigures run;
  run.cpu_ms = 100;
  run.has_cpu_times = true;
  run.functions[{"f", ""}].self_share = f;
  if (g > 0) run.functions[{"g", "lib"}].self_share = g;
  run.markers["m"] = {1, marker_ms, marker_ms};
  return run;
}

TEST_CASE("means, and what a run lacks is 0 in it") {
  const std::vector<RunFigures> before = {Run(0.2, 0, 1), Run(0.4, 0, 2)}, after = {Run(0.3, 0.2, 3), Run(0.3, 0.4, 4)};
  const Comparison comparison(before, after);
  const Change f = comparison.OfFunction({"f", ""}, &RunFigures::Function::self_share);
  CHECK(f.before == Approx(0.3));
  CHECK(f.difference() == Approx(0).margin(1e-12));
  const Change g = comparison.OfFunction({"g", "lib"}, &RunFigures::Function::self_share);
  CHECK(g.before == 0);
  CHECK(g.after == Approx(0.3));
  REQUIRE(g.p.has_value());
  CHECK(*g.p == Approx(1 / 3.));
  CHECK(comparison.Functions().at(0).first == "g");
  CHECK(comparison.OfMarker("m", &RunFigures::Marker::total_ms).after == 3.5);
  CHECK(comparison.OfMarker("none", &RunFigures::Marker::total_ms).after == 0);
  CHECK(comparison.Markers() == std::vector<std::string>{"m"});
  CHECK(comparison.OfRun(&RunFigures::cpu_ms).after == 100);
  CHECK(comparison.has_cpu_times());
}

TEST_CASE("one run a side claims nothing") {
  const std::vector<RunFigures> before = {Run(0.2, 0, 1)}, after = {Run(0.9, 0, 1)};
  CHECK_FALSE(Comparison(before, after).OfFunction({"f", ""}, &RunFigures::Function::self_share).p.has_value());
}

TEST_CASE("runs in another order have the same means, to the last bit") {
  std::vector<RunFigures> before(4), after(4);
  // Added from left to right, they differ in the last bit.
  const double shares[] = {0.1, 0.2, 0.3, 0.7}, again[] = {0.2, 0.7, 0.1, 0.3};
  for (size_t i = 0; i < 4; ++i) {
    before[i].functions[{"f", ""}].self_share = shares[i];
    after[i].functions[{"f", ""}].self_share = again[i];
  }
  const Change change = Comparison(before, after).OfFunction({"f", ""}, &RunFigures::Function::self_share);
  CHECK(change.difference() == 0);
  CHECK(change.p == 1);
}

}  // namespace
}  // namespace geckoprof
