#include "tools/profile/idle_rule.h"

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

}  // namespace
}  // namespace geckoprof
