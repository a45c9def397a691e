#include "tools/report/call_tree.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

// Stacks as (prefix, function); as many functions as needed.
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

}  // namespace
}  // namespace geckoprof
