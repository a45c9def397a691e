#include "tools/report/sample_groups.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("self and total by group, recursion once; the first CPU time is from before") {
  ProfileModel model;
  model.functions = {{0, kNoRow}};
  model.stacks = {{kNoRow, 0, kNoRow}, {0, 0, kNoRow}, {1, 0, kNoRow}, {1, 0, kNoRow}};
  model.threads.emplace_back().samples = {
      {0, 1, 9000000, 0}, {1, 2, 1000000, 2}, {2, 1, 2000000, 3}, {3, 1, 0, 3}, {4, 1, 1, kNoRow}};
  // root left out > A > B, A > A
  const std::vector<int32_t> group_of_stack = {SampleGroups::kLeftOut, 0, 1, 0};
  const SampleGroups sums = SampleGroups::Of(model, group_of_stack, 2, false);
  CHECK(sums.samples == 4);
  CHECK(sums.cpu_ms == 3);
  CHECK(sums.groups[0].self_samples == 1);
  CHECK(sums.groups[0].total_samples == 3);
  CHECK(sums.groups[0].self_cpu_ms == 2);
  CHECK(sums.groups[0].total_cpu_ms == 3);
  CHECK(sums.groups[1].self_samples == 2);
  CHECK(sums.groups[1].total_samples == 2);
  CHECK(SampleGroups::Of(model, group_of_stack, 2, true).groups[0].self_samples == 2);
  model.threads[0].starts_later = true;
  CHECK(SampleGroups::Of(model, group_of_stack, 2, false).cpu_ms == 12);
}

TEST_CASE("a stack as deep as the file likes") {
  ProfileModel model;
  constexpr int32_t kDepth = 1000000;
  for (int32_t i = 0; i < kDepth; ++i) model.stacks.push_back({i - 1, 0, kNoRow});
  model.threads.emplace_back().samples = {{0, 1, -1, kDepth - 1}};
  const SampleGroups sums = SampleGroups::Of(model, std::vector<int32_t>(kDepth, 0), 1, false);
  CHECK(sums.groups[0].total_samples == 1);
}

}  // namespace
}  // namespace geckoprof
