#include "tools/profile/counted_samples.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("a thread that used no CPU time was idle") {
  ProfileModel model;
  model.categories = {"Other", "Idle"};
  model.strings = {"(root)", "f"};
  model.functions = {{0, kNoRow}, {1, kNoRow}, {0, 1}};
  model.stacks = {{kNoRow, 1, 1, kNoRow}, {kNoRow, 1, 0, kNoRow}};
  const IdleRule rule(model);
  CHECK(rule.IsIdle({0, 1, 0, 1}));
  CHECK_FALSE(rule.IsIdle({0, 1, 5, 0}));  // the time says more than the category
  CHECK(rule.IsIdle({0, 1, -1, 0}));
  CHECK_FALSE(rule.IsIdle({0, 1, -1, 1}));
  CHECK_FALSE(rule.IsIdle({0, 1, -1, kNoRow}));
  CHECK(rule.IsIdle({0, 1, -1, 0, SampleState::kWaiting}));
  CHECK(rule.IsIdle({0, 1, -1, kNoRow, SampleState::kReady}));
  CHECK(IsRootFunction(model, 0));
  CHECK_FALSE(IsRootFunction(model, 1));
  CHECK_FALSE(IsRootFunction(model, 2));  // a library's own
}

TEST_CASE("bytes are what a profile is counted in only where there is nothing else") {
  ProfileModel model;
  CHECK_FALSE(MainMeasure(model).in_bytes());
  model.threads.resize(2);
  model.threads[0].weight_unit = ProfileWeightUnit::kBytes;
  model.threads[0].samples = {{1, 100, -1, kNoRow}};
  const MainMeasure bytes(model);  // the other thread has no rows
  CHECK(bytes.in_bytes());
  CHECK(bytes.Has(model.threads[0]));
  CHECK_FALSE(bytes.Has(model.threads[1]));
  model.threads[1].weight_unit = ProfileWeightUnit::kMs;
  model.threads[1].samples = {{1, 1, -1, kNoRow}};
  const MainMeasure samples(model);
  CHECK_FALSE(samples.in_bytes());
  CHECK_FALSE(samples.Has(model.threads[0]));
  CHECK(samples.Has(model.threads[1]));
}

TEST_CASE("whole counts add up to the rounded sum of the weights") {
  WholeCounts counts;
  int64_t sum = 0;
  for (int i = 0; i < 10; ++i) {
    const int64_t count = counts.Next(0.25);
    CHECK((count == 0 || count == 1));
    sum += count;
  }
  CHECK(sum == 3);  // of 2.5
  WholeCounts whole;
  CHECK(whole.Next(1) == 1);
  CHECK(whole.Next(1e15) == 1'000'000'000'000'000);
  CHECK(whole.Next(7) == 7);
  CHECK(whole.Next(1e300) > 0);
  CHECK(whole.Next(1e300) == 0);  // there is no more room
}

}  // namespace
}  // namespace geckoprof
