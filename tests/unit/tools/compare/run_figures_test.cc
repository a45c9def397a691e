#include "tools/compare/run_figures.h"

#include <catch2/catch.hpp>

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

}  // namespace
}  // namespace geckoprof
