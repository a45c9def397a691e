#include "geckoprofiler/profiler_thread_state.h"

#include <atomic>
#include <thread>

#include "base_double.h"
#include "catch2/catch.hpp"
#include "geckoprofiler/thread_registration.h"

namespace geckoprof {
namespace {

using enum ThreadProfilingFeatures;

constexpr uint32_t kInactive = 0, kActive = 1, kPaused = 2;

// Every way to ask about the calling thread, for one set of features; they agree.
bool IsProfiled(ThreadProfilingFeatures features) {
  const bool answer = profiler_thread_is_being_profiled(features);
  CHECK(profiler_thread_is_being_profiled(ProfilerThreadId(), features) == answer);
  CHECK(profiler_thread_is_being_profiled(profiler_current_thread_id(), features) == answer);
  if (features == Markers) {
    CHECK(profiler_thread_is_being_profiled_for_markers() == answer);
    CHECK(profiler_thread_is_being_profiled_for_markers(ProfilerThreadId()) == answer);
    CHECK(profiler_thread_is_being_profiled_for_markers(profiler_current_thread_id()) == answer);
  }
  // And another thread sees the same.
  const ProfilerThreadId tid = profiler_current_thread_id();
  bool seen_from_elsewhere = !answer;
  OnNewThread([&] { seen_from_elsewhere = profiler_thread_is_being_profiled(tid, features); });
  CHECK(seen_from_elsewhere == answer);
  return answer;
}

void CheckProfiledFor(ThreadProfilingFeatures expected) {
  for (const ThreadProfilingFeatures features : {NotProfiled, CPUUtilization, Sampling, Markers, Any}) {
    CHECK(IsProfiled(features) == DoFeaturesIntersect(features, expected));
  }
}

// Before the start, active, paused, resumed, stopped.
void CheckRun(BaseDouble& base, const ThreadProfilingPolicy& policy, ThreadProfilingFeatures while_active,
              bool is_registered) {
  CheckProfiledFor(NotProfiled);
  CHECK_FALSE(profiler_is_active_and_thread_is_registered());
  ProfilerThreadRegistry::StartProfiling(policy);
  base.state = kActive;
  CheckProfiledFor(while_active);
  CHECK(profiler_is_active_and_thread_is_registered() == is_registered);
  base.state = kPaused;
  CheckProfiledFor(NotProfiled);
  CHECK(profiler_is_active_and_thread_is_registered() == is_registered);
  base.state = kActive;
  CheckProfiledFor(while_active);
  base.state = kInactive;
  ProfilerThreadRegistry::StopProfiling();
  CheckProfiledFor(NotProfiled);
  CHECK_FALSE(profiler_is_active_and_thread_is_registered());
}

TEST_CASE("thread state: a selected thread") {
  BaseDouble base;
  OnNewThread([&] {
    const ThreadRegistration registration("Worker");
    CheckRun(base, PolicyFor("Worker"), Any, true);
    CheckRun(base, PolicyFor(""), Any, true);
  });
}

TEST_CASE("thread state: a thread that is filtered out") {
  BaseDouble base;
  OnNewThread([&] {
    const ThreadRegistration registration("Worker");
    CheckRun(base, PolicyFor("GeckoMain"), Markers, true);
    CheckRun(base, PolicyFor("GeckoMain", kFeatureMarkersAllThreads), Markers, true);
    CheckRun(base, PolicyFor("GeckoMain", kFeatureCpuAllThreads | kFeatureSamplingAllThreads), Any, true);
  });
}

TEST_CASE("thread state: a thread that is not registered") {
  BaseDouble base;
  OnNewThread([&] { CheckRun(base, PolicyFor("*"), Markers, false); });
}

TEST_CASE("thread state: the main thread, asked for by another") {
  BaseDouble base;
  const ThreadRegistration registration("GeckoMain");
  ProfilerThreadRegistry::StartProfiling(PolicyFor("GeckoMain"));
  base.state = kActive;
  OnNewThread([] {
    CHECK(profiler_thread_is_being_profiled(profiler_main_thread_id(), Any));
    CHECK(profiler_thread_is_being_profiled_for_markers(profiler_main_thread_id()));
    CHECK_FALSE(profiler_thread_is_being_profiled(Sampling));
    CHECK(profiler_thread_is_being_profiled(Any));
    CHECK_FALSE(profiler_thread_is_being_profiled(ProfilerThreadId::FromNumber(-5), Any));
  });
}

}  // namespace
}  // namespace geckoprof
