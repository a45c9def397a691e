#include "tools/compare/comparison.h"

#include <catch2/catch.hpp>
#include <vector>

namespace geckoprof {
namespace {

TEST_CASE("a run's functions and markers by name") {
  ProfileModel model;
  model.strings = {"(root)", "main", "a;b\x1b", "lib", "Tick"};
  model.functions = {{0, kNoRow}, {1, kNoRow}, {2, 3}};
  model.stacks = {{kNoRow, 0, kNoRow}, {0, 1, kNoRow}, {1, 2, kNoRow}};
  model.has_cpu_times = true;
  ProfileThread& thread = model.threads.emplace_back();
  thread.samples = {{0, 1, 1000000, 1}, {1, 3, 2000000, 2}, {2, 1, 0, 2}};
  thread.markers = {{4, ProfileMarkerPhase::kInterval, 0, 2}, {4, ProfileMarkerPhase::kInterval, 3, 9}};
  const RunFigures run = RunFigures::Of(model, false);
  CHECK(run.samples == 4);
  CHECK(run.cpu_ms == 2);
  REQUIRE(run.functions.size() == 2);
  const RunFigures::Function& function = run.functions.at({"a;b\x1b", "lib"});
  CHECK(function.self_share == 0.75);
  CHECK(function.self_cpu_ms == 2);
  CHECK(run.functions.at({"main", ""}).total_share == 1);
  CHECK(run.markers.at("Tick").count == 2);
  CHECK(run.markers.at("Tick").total_ms == 8);
  CHECK(run.markers.at("Tick").median_ms == 2);
  CHECK(RunFigures::Of(model, true).samples == 5);
  CHECK(RunFigures::Of({}, false).functions.empty());
}

TEST_CASE("bytes of allocations are not compared with samples") {
  ProfileModel model;
  model.strings = {"f", "g"};
  model.functions = {{0, kNoRow}, {1, kNoRow}};
  model.stacks = {{kNoRow, 0, kNoRow}, {kNoRow, 1, kNoRow}};
  model.threads.resize(2);
  model.threads[0].samples = {{0, 1, -1, 0}, {1, 1, -1, 0}};
  model.threads[1].weight_unit = ProfileWeightUnit::kBytes;
  model.threads[1].samples = {{0, 4096, -1, 1}};
  const RunFigures both = RunFigures::Of(model, false);
  CHECK(both.samples == 2);
  CHECK(both.bytes == 0);
  CHECK(both.functions.at({"f", ""}).self_share == 1);
  CHECK(both.functions.size() == 1);
  model.threads.erase(model.threads.begin());
  const RunFigures bytes = RunFigures::Of(model, false);
  CHECK(bytes.samples == 0);
  CHECK(bytes.bytes == 4096);
  CHECK(bytes.functions.at({"g", ""}).self_share == 1);
}

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
  // The six pairs of {0,1,2,10} have the sums 1, 2, 10, 3, 11 and 12. Half of all is 6.5. 1 and 12 reach |1 - 6.5|.
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
