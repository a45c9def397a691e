// Callbacks after sampling and the unloading, which waits for the sampler: core/full_profiler.h.

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "api_profiler.h"
#include "fake_base.h"
#include "geckoprof/base/clock.h"
#include "tests/support/await.h"

namespace geckoprof {
namespace {

TEST_CASE("unloading waits for a sampler that is late") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  REQUIRE(profiler.Init());
  static int left;
  left = 3;
  fake.table.hand_back = [](const OwnerTable*, int64_t) {
    return static_cast<int32_t>(left-- > 0 ? HandoverResult::kTimeout : HandoverResult::kDone);
  };
  profiler.Unload();
  CHECK(left == -1);
}

TEST_CASE("what runs while the library is unloaded does not make it the owner again") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  REQUIRE(profiler.Start(Request()).outcome);
  ProfilerOutcome answer;
  REQUIRE(profiler.CallAfterSampling([&](SamplingState) { answer = profiler.Init(); }));
  profiler.Unload();
  CHECK(answer.status == ProfilerStatus::kRefused);
  CHECK(fake.owner == nullptr);
}

TEST_CASE("callbacks after sampling come with what became of the tick") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  std::atomic<int> called{-1};
  const auto note = [&](SamplingState state) { called = static_cast<int>(state); };
  const auto result = [&](SamplingState wanted) {
    const int64_t deadline_ns = MonotonicNs() + 10 * kNsPerSecond;
    while (called == -1 && MonotonicNs() < deadline_ns) std::this_thread::yield();
    return called.exchange(-1) == static_cast<int>(wanted);
  };
  CHECK_FALSE(profiler.CallAfterSampling(note));  // inactive
  profiler.Start(Request());
  CHECK(profiler.CallAfterSampling(note));
  const std::atomic<int32_t>& own_thread = *fake.owner.load()->own_thread;
  REQUIRE((Soon([&] { return own_thread > 0; }) && AwaitBlocked(own_thread)));
  fake.Tick(1, true);  // it began before
  CHECK(AwaitBlocked(own_thread));
  CHECK(called == -1);
  fake.Tick(MonotonicNs(), true);
  CHECK(result(SamplingState::SamplingCompleted));
  CHECK(profiler.CallAfterSampling(note));
  fake.Tick(MonotonicNs(), false);
  CHECK(result(SamplingState::SamplingPaused));
  CHECK(profiler.CallAfterSampling(note));
  profiler.Stop();
  CHECK(result(SamplingState::JustStopped));
  profiler.Start(Request());
  CHECK(profiler.CallAfterSampling(note));
  profiler.Stop();
  profiler.Start(Request(ProfilerFeature::NoStackSampling));
  fake.Tick(MonotonicNs(), true);  // of another recording
  CHECK(result(SamplingState::JustStopped));
  CHECK(profiler.CallAfterSampling(note));
  fake.Tick(MonotonicNs(), true);
  CHECK(result(SamplingState::NoStackSamplingCompleted));
  CHECK(profiler.CallAfterSampling(note));
  profiler.Shutdown();
  CHECK(result(SamplingState::JustStopped));
}

TEST_CASE("from a callback after sampling all may be done but the shutdown") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  profiler.Start(Request());
  std::atomic<int> shutdown{-1}, stop{-1};
  CHECK(profiler.CallAfterSampling([&](SamplingState) {
    shutdown = static_cast<int>(profiler.Shutdown().status);
    stop = static_cast<int>(profiler.Stop().status);
  }));
  fake.Tick(MonotonicNs(), true);
  while (stop == -1) std::this_thread::yield();
  CHECK(shutdown == static_cast<int>(ProfilerStatus::kWrongThread));
  CHECK(stop == static_cast<int>(ProfilerStatus::kDone));
  CHECK(profiler.Shutdown());
}

}  // namespace
}  // namespace geckoprof
