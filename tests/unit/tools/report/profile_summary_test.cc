#include "tools/report/profile_summary.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

// Stacks as (prefix, function), with as many functions as they need.
ProfileModel Model(const std::vector<ProfileStack>& stacks, size_t functions) {
  ProfileModel model;
  model.functions.resize(functions);
  model.stacks = stacks;
  return model;
}

TEST_CASE("recursion counts once a sample") {
  // a > b > a > b
  const ProfileModel model = Model({{-1, 0, -1}, {0, 1, -1}, {1, 0, -1}, {2, 1, -1}}, 2);
  const CallTree tree(model, {0, 2, 3, 5});
  const auto functions = tree.ByFunction();
  CHECK(functions[0].self_weight == 3);
  CHECK(functions[0].total_weight == 10);
  CHECK(functions[1].self_weight == 7);
  CHECK(functions[1].total_weight == 10);
}

TEST_CASE("rows with the same functions are one node") {
  // Two threads: a > b twice, once with another c below.
  const ProfileModel model = Model({{-1, 0, -1}, {0, 1, -1}, {-1, 0, -1}, {2, 1, -1}, {3, 2, -1}}, 3);
  const CallTree tree(model, {0, 4, 0, 2, 1});
  REQUIRE(tree.nodes().size() == 3);
  CHECK(tree.nodes()[0].weight == 7);
  CHECK(tree.nodes()[1].weight == 7);
  CHECK(tree.nodes()[1].self_weight == 6);
  CHECK(tree.HeaviestPath() == std::vector<int32_t>{0, 1});  // 6 samples end in b, 1 in c
}

TEST_CASE("the heaviest path goes on to the heaviest callee, not into crumbs") {
  // a > b (40), a > c (60) > d (59)
  const ProfileModel model = Model({{-1, 0, -1}, {0, 1, -1}, {0, 2, -1}, {2, 3, -1}, {3, 1, -1}}, 4);
  const CallTree tree(model, {0, 40, 1, 58.5, 0.5});
  const std::vector<int32_t> path = tree.HeaviestPath();
  REQUIRE(path.size() == 3);
  CHECK(tree.nodes()[static_cast<size_t>(path[1])].function == 2);
  CHECK(tree.nodes()[static_cast<size_t>(path[2])].function == 3);
}

TEST_CASE("a very deep stack needs no deep recursion") {
  constexpr int32_t kDepth = 1'000'000;
  ProfileModel model = Model({}, 1);
  for (int32_t i = 0; i < kDepth; ++i) model.stacks.push_back({i - 1, 0, -1});
  std::vector<double> weights(kDepth, 0);
  weights.back() = 1;
  const CallTree tree(model, weights);
  CHECK(tree.ByFunction()[0].total_weight == 1);
  CHECK(tree.HeaviestPath().size() == kDepth);
}

TEST_CASE("nothing selected") {
  const CallTree tree(Model({{-1, 0, -1}}, 1), {0});
  CHECK(tree.nodes().empty());
  CHECK(tree.HeaviestPath().empty());
}

TEST_CASE("allocations and frees are counted apart, and rows without a weight are neither") {
  ProfileThread thread;
  thread.samples = {{1, 100, -1, kNoRow}, {2, 0, -1, kNoRow}, {3, 28, -1, kNoRow}, {4, 0, -1, kNoRow}};
  thread.frees = {{2, 40, -1, kNoRow}};
  AllocationSums sums;
  sums.Add(thread);  // samples
  CHECK(sums.empty());
  thread.weight_unit = ProfileWeightUnit::kBytes;
  sums.Add(thread);
  CHECK(sums.count == 2);
  CHECK(sums.bytes == 128);
  CHECK(sums.frees == 1);
  CHECK(sums.freed_bytes == 40);
  CHECK(sums.Text() == "128 bytes in 2 allocations, 40 bytes in 1 free");
  CHECK(RowsWithoutWeight(thread) == 1);
}

TEST_CASE("a row that only says when the first one's CPU time begins is not left out of anything") {
  ProfileThread thread;
  thread.samples = {{0, 0, 0, kNoRow}, {1, 1, 1'000'000, 0}, {2, 0, 0, 0}, {3, 0, 5, kNoRow}};
  CHECK(RowsWithoutWeight(thread) == 2);
  thread.has_states = true;  // the last one is a gap
  CHECK(RowsWithoutWeight(thread) == 1);
}

TEST_CASE("gaps add up, and the longest is known") {
  GapSums sums, others;
  sums.Add(12'000'000);
  CHECK(sums.Text(0) == "12.0 ms without samples, in 1 gap");
  sums.Add(30'000'000);
  others.Add(8'000'000);
  sums.Add(others);
  CHECK(sums.count == 3);
  CHECK(sums.Text(500'000'000) == "50.0 ms (10.0 %) without samples, in 3 gaps, the longest 30.0 ms");
}

TEST_CASE("a sum of gaps stays within 64 bits") {
  GapSums sums;
  sums.Add(INT64_MAX);
  sums.Add(INT64_MAX);
  CHECK(sums.cpu_ns == INT64_MAX);
}

ProfileModel Demo() {
  ProfileModel model;
  model.strings = {"f", "M", "N"};
  model.categories = {"Idle", "Other"};
  model.functions = {{0, kNoRow}};
  model.stacks = {{kNoRow, 0, 1}, {kNoRow, 0, 0}};
  model.processes = {{"10", "", 0}, {"20", "", 0}};
  ProfileThread a;
  a.process = 0;
  a.name = "Main";
  a.samples = {{1, 1, 900, 0}, {2, 1, 100, 0}, {3, 2, 0, 0}, {4, 1, -1, 1}, {5, 1, 50, kNoRow}};
  a.markers = {{1, ProfileMarkerPhase::kIntervalStart, 1, 0}, {1, ProfileMarkerPhase::kIntervalStart, 2, 0},
               {1, ProfileMarkerPhase::kIntervalEnd, 0, 5},   {1, ProfileMarkerPhase::kIntervalEnd, 0, 7},
               {1, ProfileMarkerPhase::kIntervalEnd, 0, 9},   {2, ProfileMarkerPhase::kInterval, 3, 4}};
  ProfileThread b;
  b.process = 1;
  b.name = "Worker";
  b.samples = {{9, 1, -1, 0}};
  model.threads = {b, a};
  return model;
}

TEST_CASE("CPU time leaves out the first delta; idle by CPU, else by category") {
  const ProfileSummary summary = Summarize(Demo(), {});
  REQUIRE(summary.threads.size() == 2);
  CHECK(summary.threads[0].row == 1);  // the busiest first
  CHECK(summary.threads[0].cpu_ns == 150);
  CHECK(summary.threads[0].samples == 3);  // without the idle ones
  CHECK(summary.threads[0].idle_samples == 3);
  CHECK_FALSE(summary.threads[1].cpu_ns.has_value());
  CHECK(summary.samples == 4);
  CHECK(summary.idle_samples == 3);
  CHECK(summary.counted_samples == 3);  // those with a stack that are not idle
  CHECK(summary.duration_ms == 8);
  CHECK(summary.processes == 2);
}

TEST_CASE("where only idle rows have a CPU time, that of the thread is unknown") {
  ProfileModel model = Demo();
  model.threads.erase(model.threads.begin());
  model.threads[0].samples = {{1, 1, -1, 0}, {2, 1, -1, 0}, {3, 5, 0, 0}};
  const ProfileSummary summary = Summarize(model, {});
  CHECK_FALSE(summary.threads[0].cpu_ns.has_value());
  CHECK(summary.idle_samples == 5);
  model.threads[0].samples[1].cpu_ns = 7;
  CHECK(Summarize(model, {}).threads[0].cpu_ns == 7);
}

TEST_CASE("idle samples count where they are asked for") {
  ProfileModel model = Demo();
  model.threads.erase(model.threads.begin());
  CHECK(Summarize(model, {true}).counted_samples == 5);
}

TEST_CASE("programs that one process ran are one process") {
  ProfileModel model = Demo();
  model.processes = {{"10", "", 0}, {"10.1", "", 0}};
  CHECK(Summarize(model, {}).processes == 1);
  CHECK(Summarize(model, {}).program_images == 2);
}

TEST_CASE("the root is no function, and stacks of nothing else are none") {
  ProfileModel model;
  model.strings = {"(root)", "main"};
  model.functions = {{0, kNoRow}, {1, kNoRow}};
  model.stacks = {{kNoRow, 0, kNoRow}, {0, 1, kNoRow}};
  model.processes = {{"10", "", 0}};
  model.threads.emplace_back().samples = {{1, 1, -1, 0}, {2, 1, -1, 1}, {3, 1, -1, 1}};
  ProfileSummary summary = Summarize(model, {});
  REQUIRE(summary.by_self.size() == 1);
  REQUIRE(summary.by_total.size() == 1);
  REQUIRE(summary.heaviest_path.size() == 1);
  CHECK(summary.by_total[0].row == 1);
  CHECK(summary.heaviest_path[0].function == 1);
  CHECK(summary.has_stacks);
  model.threads[0].samples = {{1, 1, -1, 0}};
  summary = Summarize(model, {});
  CHECK(summary.by_self.empty());
  CHECK(summary.heaviest_path.empty());
  CHECK_FALSE(summary.has_stacks);
}

TEST_CASE("markers by name: ends match the innermost start") {
  const ProfileSummary summary = Summarize(Demo(), {});
  REQUIRE(summary.marker_names.size() == 2);
  CHECK(summary.marker_names[0].count == 3);  // two pairs and an end whose start is lost
  CHECK(summary.marker_names[0].total_ms == 3 + 6);
  CHECK(summary.marker_names[1].total_ms == 1);
  CHECK(summary.markers == 4);  // as many as the names have
}

TEST_CASE("CPU times that add up beyond 64 bits stay at the limit") {
  ProfileModel model = Demo();
  model.threads[1].samples.assign(10, {1, 1, 3'000'000'000'000'000'000, kNoRow});
  CHECK(Summarize(model, {}).threads[0].cpu_ns == INT64_MAX);
}

TEST_CASE("bytes of allocations are no samples") {
  ProfileModel model = Demo();
  const ProfileSummary before = Summarize(model, {});
  ProfileThread heap;
  heap.process = 0;
  heap.weight_unit = ProfileWeightUnit::kBytes;
  heap.samples = {{1, 4096, -1, 0}, {2, 0, -1, 0}, {3, 104, 0, 0}, {4, 0, -1, 0}};
  heap.frees = {{2, 96, -1, 0}};
  model.threads.push_back(heap);
  ProfileSummary summary = Summarize(model, {});
  CHECK_FALSE(summary.in_bytes);
  CHECK(summary.samples == before.samples);
  CHECK(summary.idle_samples == before.idle_samples);
  CHECK(summary.counted_samples == before.counted_samples);
  REQUIRE(summary.by_self.size() == 1);
  CHECK(summary.by_self[0].self_samples == before.by_self[0].self_samples);
  CHECK(summary.allocations.count == 2);
  CHECK(summary.allocations.bytes == 4200);  // one that used no CPU time is none less
  CHECK(summary.allocations.frees == 1);
  CHECK(summary.allocations.freed_bytes == 96);
  CHECK(summary.rows_without_weight == 1);
  model.threads = {heap};
  summary = Summarize(model, {});  // where there is nothing else, functions are of bytes
  CHECK(summary.in_bytes);
  CHECK(summary.samples == 0);
  CHECK(summary.counted_samples == 4200);
  REQUIRE(summary.by_self.size() == 1);
  CHECK(summary.by_self[0].self_samples == 4200);
}

TEST_CASE("gaps are no samples, and their CPU time counts") {
  ProfileModel model = Demo();
  CHECK_FALSE(Summarize(model, {}).gaps.has_value());
  ProfileThread& thread = model.threads[1];
  thread.has_states = true;
  thread.samples = {{1, 1, 900, 0}, {30, 0, 40, kNoRow}, {31, 1, 5, 0}, {50, 0, 9, kNoRow}, {60, 1, 0, kNoRow}};
  const ProfileSummary summary = Summarize(model, {});
  const ProfileSummary::Thread& sum = summary.threads[0];
  CHECK(sum.row == 1);
  CHECK(sum.cpu_ns == 54);
  CHECK(sum.samples == 2);
  CHECK(sum.idle_samples == 1);
  REQUIRE(sum.gaps.has_value());
  CHECK(sum.gaps->count == 2);
  CHECK(sum.gaps->cpu_ns == 49);
  CHECK(sum.gaps->longest_ns == 40);
  CHECK_FALSE(summary.threads[1].gaps.has_value());
  REQUIRE(summary.gaps.has_value());
  CHECK(summary.gaps->cpu_ns == 49);
  CHECK(summary.cpu_ns == 54);
  CHECK(summary.rows_without_weight == 0);
}

TEST_CASE("each thread has its markers, halves joined") {
  const ProfileSummary summary = Summarize(Demo(), {});
  size_t markers = 0;
  for (const ProfileSummary::Thread& thread : summary.threads) markers += thread.markers;
  CHECK(markers == summary.markers);
  CHECK(summary.threads[0].markers == summary.markers);
  CHECK(summary.markers == 4);
}

}  // namespace
}  // namespace geckoprof
