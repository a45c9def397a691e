#include "geckoprof/json/progress_logger.h"

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

using namespace proportion_literals;

TEST_CASE("a sub-logger counts within its parent's range and reaches its end when destroyed") {
  ProgressState state;
  {
    ProgressLogger whole(&state, "start", "end");
    CHECK(state.location.load() == std::string("start"));
    {
      ProgressLogger part = whole.CreateSubLogger(20_percent, 60_percent, "part");
      CHECK(state.proportion() == 20_percent);
      part.SetLocalProgress(50_percent, "half");
      CHECK(whole.global_proportion() == 40_percent);
      CHECK(state.location.load() == std::string("half"));
      { ProgressLogger inner = part.CreateSubLogger(50_percent, 100_percent); }
      CHECK(state.proportion() == 60_percent);
    }
    CHECK(state.proportion() == 60_percent);
    CHECK(state.location.load() == std::string("part"));
  }
  CHECK(state.proportion() == ProportionValue::One());
  CHECK(state.location.load() == std::string("end"));
}

TEST_CASE("a loop's turns fill its range exactly") {
  ProgressState state;
  ProgressLogger whole(&state);
  for (uint32_t turn = 0; turn < 3; ++turn) {
    ProgressLogger part = whole.CreateLoopSubLogger(10_percent, 70_percent, turn, 3);
    CHECK(state.proportion() == 10_percent + 60_percent * ProportionValue::FromFraction(turn, 3));
  }
  CHECK(state.proportion() == 70_percent);
}

TEST_CASE("without a state nothing is recorded") {
  ProgressLogger logger(nullptr);
  logger.SetLocalProgress(50_percent, "x");
  CHECK(logger.global_proportion().IsInvalid());
}

}  // namespace
}  // namespace geckoprof
