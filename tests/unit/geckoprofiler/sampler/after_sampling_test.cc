#include "sampler/after_sampling.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "geckoprof/base/clock.h"
#include "geckoprof/handover/handover_table.h"

namespace geckoprof {
namespace {

struct Recording {
  std::atomic<uint32_t> state{kStateActive};
};

RecordingLook LookAt(Recording& recording) {
  return {[](void* context) { return static_cast<Recording*>(context)->state.load(); }, [](void*) { return true; },
          &recording};
}

TEST_CASE("callbacks run once, in order, and all of them for one tick") {
  Recording recording;
  AfterSampling after(LookAt(recording));
  std::string order;  // of the one thread, read after it ended
  for (const char letter : {'a', 'b', 'c'}) {
    REQUIRE(after.Add([&order, letter](SamplingState) { order += letter; }));
  }
  after.tick_signal().Tick(MonotonicNs(), true);
  after.tick_signal().Tick(MonotonicNs(), true);
  after.Shutdown();
  CHECK(order == "abc");
}

TEST_CASE("a job does not wait for a tick") {
  Recording recording;
  AfterSampling after(LookAt(recording));
  std::atomic<bool> ran{false};
  REQUIRE(after.Add([](SamplingState) {}));
  REQUIRE(after.RunSoon([&] { ran = true; }));
  while (!ran) std::this_thread::yield();
  after.Shutdown();
}

TEST_CASE("a recording that ends by itself, or sleeps in a pause, keeps nobody waiting") {
  Recording recording;
  AfterSampling after(LookAt(recording));
  std::atomic<int> state{-1};
  const auto note = [&](SamplingState its) { state = static_cast<int>(its); };
  recording.state = kStateActive | kStatePaused;
  REQUIRE(after.Add(note));
  while (state == -1) std::this_thread::yield();
  CHECK(state.exchange(-1) == static_cast<int>(SamplingState::SamplingPaused));
  recording.state = kStateActive;
  REQUIRE(after.Add(note));
  recording.state = 0;
  while (state == -1) std::this_thread::yield();
  CHECK(state == static_cast<int>(SamplingState::JustStopped));
  after.Shutdown();
  after.Shutdown();
}

TEST_CASE("after a shutdown it can be used again") {
  Recording recording;
  AfterSampling after(LookAt(recording));
  std::atomic<int> calls{0};
  for (int i = 0; i < 50; ++i) {
    REQUIRE(after.Add([&](SamplingState) { ++calls; }));
    after.Shutdown();
  }
  CHECK(calls == 50);
  CHECK_FALSE(after.IsOwnThread());
}

}  // namespace
}  // namespace geckoprof
