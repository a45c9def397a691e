#include "geckoprofiler/thread_sleep_state.h"

#include "catch2/catch.hpp"

namespace geckoprof {
namespace {

TEST_CASE("sleep state: the second and later looks may duplicate") {
  ThreadSleepState state;
  CHECK_FALSE(state.IsSleeping());
  CHECK_FALSE(state.CanDuplicateLastSampleDueToSleep());
  CHECK_FALSE(state.CanDuplicateLastSampleDueToSleep());

  state.SetSleeping();
  CHECK(state.IsSleeping());
  CHECK_FALSE(state.CanDuplicateLastSampleDueToSleep());
  CHECK(state.CanDuplicateLastSampleDueToSleep());
  CHECK(state.CanDuplicateLastSampleDueToSleep());
  CHECK(state.IsSleeping());

  state.SetAwake();
  CHECK_FALSE(state.IsSleeping());
  CHECK_FALSE(state.CanDuplicateLastSampleDueToSleep());

  state.SetSleeping();
  CHECK_FALSE(state.CanDuplicateLastSampleDueToSleep());
  CHECK(state.CanDuplicateLastSampleDueToSleep());
}

TEST_CASE("sleep state: again after reinitialisation") {
  ThreadSleepState state;
  state.ReinitializeOnResume();  // awake: nothing to do
  CHECK_FALSE(state.IsSleeping());

  state.SetSleeping();
  state.ReinitializeOnResume();  // not observed yet
  CHECK_FALSE(state.CanDuplicateLastSampleDueToSleep());
  CHECK(state.CanDuplicateLastSampleDueToSleep());
  state.ReinitializeOnResume();
  CHECK(state.IsSleeping());
  CHECK_FALSE(state.CanDuplicateLastSampleDueToSleep());
  CHECK(state.CanDuplicateLastSampleDueToSleep());
}

TEST_CASE("sleep state: a second sleep without waking has a sample of its own") {
  ThreadSleepState state;
  state.SetSleeping();
  CHECK_FALSE(state.CanDuplicateLastSampleDueToSleep());
  state.SetSleeping();
  CHECK_FALSE(state.CanDuplicateLastSampleDueToSleep());
  CHECK(state.CanDuplicateLastSampleDueToSleep());
}

}  // namespace
}  // namespace geckoprof
