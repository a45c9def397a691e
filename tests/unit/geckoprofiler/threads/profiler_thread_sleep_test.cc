#include "geckoprofiler/profiler_thread_sleep.h"

#include <string>

#include "base_double.h"
#include "catch2/catch.hpp"

namespace geckoprof {
namespace {

TEST_CASE("sleep: on any thread, whether the profiler is active or not") {
  OnNewThread([] {
    const ThreadRegistration registration("sleeper");
    CHECK_FALSE(profiler_thread_is_sleeping());
    {
      AUTO_PROFILER_THREAD_SLEEP;
      CHECK(profiler_thread_is_sleeping());
      {
        AUTO_PROFILER_THREAD_WAKE;
        CHECK_FALSE(profiler_thread_is_sleeping());
      }
      CHECK(profiler_thread_is_sleeping());
    }
    CHECK_FALSE(profiler_thread_is_sleeping());
    {
      AUTO_PROFILER_THREAD_WAKE;
      CHECK_FALSE(profiler_thread_is_sleeping());
    }
    CHECK_FALSE(profiler_thread_is_sleeping());
  });
}

TEST_CASE("sleep: nothing on a thread that is not registered") {
  BaseDouble base;
  base.state = 1;
  OnNewThread([] {
    profiler_thread_sleep();
    CHECK_FALSE(profiler_thread_is_sleeping());
    profiler_thread_wake();
    profiler_mark_thread_asleep();
    profiler_mark_thread_awake();
  });
  CHECK(base.Markers().empty());
}

TEST_CASE("sleep: the times awake are markers, with the CPU and the CPU time") {
  BaseDouble base;
  base.state = 1;
  ProfilerThreadRegistry::StartProfiling(PolicyFor("*"));
  OnNewThread([] {
    const ThreadRegistration registration("sleeper");
    profiler_thread_sleep();
    profiler_thread_wake();
    profiler_thread_sleep();
  });
  const auto markers = base.Markers();
  REQUIRE(markers.size() == 3);
  for (const auto& marker : markers) CHECK(marker.name == "Awake");
  CHECK(markers[0].phase == 3);  // the end of the time before
  CHECK(markers[0].text.starts_with("CPU time "));
  CHECK(markers[0].text.ends_with(" ms"));
  CHECK(markers[1].phase == 2);
  CHECK_THAT(markers[1].text, Catch::Matches("CPU [0-9]+"));
  CHECK(markers[2].phase == 3);
  CHECK_THAT(markers[2].text, Catch::Matches("CPU time [0-9]+\\.[0-9]{3} ms"));
}

TEST_CASE("sleep: no CPU time where the last sleep was not marked") {
  BaseDouble base;
  ProfilerThreadRegistry::StartProfiling(PolicyFor("*"));
  OnNewThread([&base] {
    const ThreadRegistration registration("sleeper");
    profiler_thread_sleep();
    profiler_thread_wake();
    base.state = 1;
    profiler_thread_sleep();
    base.state = 2;
    profiler_thread_wake();  // paused: no marker
  });
  const auto markers = base.Markers();
  REQUIRE(markers.size() == 1);
  CHECK(markers[0].phase == 3);
  CHECK(markers[0].text.empty());
}

TEST_CASE("sleep: markers alone leave the state, and no filter keeps them out") {
  BaseDouble base;
  base.state = 1;
  ProfilerThreadRegistry::StartProfiling(PolicyFor("marked"));
  OnNewThread([] {
    const ThreadRegistration registration("marked");
    profiler_mark_thread_asleep();
    CHECK_FALSE(profiler_thread_is_sleeping());
    profiler_mark_thread_awake();
  });
  CHECK(base.Markers().size() == 2);
  OnNewThread([] {
    const ThreadRegistration registration("other");
    profiler_thread_sleep();
    CHECK(profiler_thread_is_sleeping());
  });
  CHECK(base.Markers().size() == 3);
}

}  // namespace
}  // namespace geckoprof
