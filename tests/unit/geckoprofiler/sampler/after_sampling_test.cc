#include "sampler/after_sampling.h"

#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>

#include "geckoprof/base/clock.h"
#include "geckoprof/handover/handover_table.h"

namespace geckoprof {
namespace {

struct Recording {
  std::atomic<uint32_t> state{kStateActive};
  std::atomic<int> wakes{0};
  std::atomic<int> ticks_asked_for{0};
  std::atomic<int64_t> own_cpu_ns{0};
};

RecordingQueries LookAt(Recording& recording) {
  return {[](void* context) { return static_cast<Recording*>(context)->state.load(); },
          [](void*) { return true; },
          [](void*, int32_t, bool otherwise) { return otherwise; },
          [](void* context) { ++static_cast<Recording*>(context)->wakes; },
          [](void* context) { ++static_cast<Recording*>(context)->ticks_asked_for; },
          &recording};
}

TEST_CASE("a tick is asked for while a callback waits for one") {
  Recording recording;
  std::atomic<int32_t> own_threads[AfterSampling::kOwnThreads] = {};
  AfterSampling after(LookAt(recording), own_threads, &recording.own_cpu_ns);
  std::atomic<bool> is_called{false};
  REQUIRE(after.Add([&](SamplingState) { is_called = true; }));
  while (recording.ticks_asked_for == 0) std::this_thread::yield();
  CHECK_FALSE(is_called);
  after.tick_signal().Tick(MonotonicNs(), true);
  while (!is_called) std::this_thread::yield();
  after.Shutdown();
}

TEST_CASE("the thread is known as an own one from its begin on") {
  Recording recording;
  std::atomic<int32_t> own_threads[AfterSampling::kOwnThreads] = {};
  AfterSampling after(LookAt(recording), own_threads, &recording.own_cpu_ns);
  CHECK(own_threads[0] == 0);
  std::atomic<int32_t> tid{0};
  REQUIRE(after.Post([&] { tid = gettid(); }));
  while (tid == 0) std::this_thread::yield();
  CHECK(own_threads[0] == tid);
  after.Shutdown();
}

TEST_CASE("the CPU time of the thread is the library's, and not the program's") {
  Recording recording;
  std::atomic<int32_t> own_threads[AfterSampling::kOwnThreads] = {};
  AfterSampling after(LookAt(recording), own_threads, &recording.own_cpu_ns);
  after.SetWatch(true);
  while (recording.own_cpu_ns == 0) std::this_thread::yield();
  after.Shutdown();
}

TEST_CASE("callbacks run once, in order, and all of them for one tick") {
  Recording recording;
  std::atomic<int32_t> own_threads[AfterSampling::kOwnThreads] = {};
  AfterSampling after(LookAt(recording), own_threads, &recording.own_cpu_ns);
  std::string order;  // of the one thread, read after it ended
  for (const char letter : {'a', 'b', 'c'}) {
    REQUIRE(after.Add([&order, letter](SamplingState) { order += letter; }));
  }
  after.tick_signal().Tick(MonotonicNs(), true);
  after.tick_signal().Tick(MonotonicNs(), true);
  after.Shutdown();
  CHECK(order == "abc");
}

TEST_CASE("whoever watches is called at each wake") {
  Recording recording;
  std::atomic<int32_t> own_threads[AfterSampling::kOwnThreads] = {};
  AfterSampling after(LookAt(recording), own_threads, &recording.own_cpu_ns);
  after.SetWatch(true);
  after.SetWatch(true);
  after.tick_signal().Tick(MonotonicNs(), true);  // nobody waits for ticks
  after.tick_signal().Poke();
  const int64_t deadline_ns = MonotonicNs() + 10 * kNsPerSecond;
  while (recording.wakes == 0 && MonotonicNs() < deadline_ns) std::this_thread::yield();
  CHECK(recording.wakes > 0);
  after.Shutdown();
}

long CountThreads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

void AwaitThreads(long count) {
  const int64_t deadline_ns = MonotonicNs() + 30 * kNsPerSecond;
  while (CountThreads() != count && MonotonicNs() < deadline_ns) std::this_thread::yield();
  CHECK(CountThreads() == count);
}

TEST_CASE("there is a thread only while something waits or somebody watches") {
  Recording recording;
  std::atomic<int32_t> own_threads[AfterSampling::kOwnThreads] = {};
  AfterSampling after(LookAt(recording), own_threads, &recording.own_cpu_ns);
  const long before = CountThreads();
  std::atomic<int> called{0};
  for (int i = 1; i <= 3; ++i) {
    REQUIRE(after.Add([&](SamplingState) { ++called; }));
    CHECK(CountThreads() == before + 1);
    after.tick_signal().Tick(MonotonicNs(), true);
    AwaitThreads(before);
    CHECK(called == i);
  }
  after.SetWatch(true);
  CHECK(CountThreads() == before + 1);
  after.SetWatch(false);
  AwaitThreads(before);
  after.Shutdown();
}

TEST_CASE("while it steps aside there is no thread, and what waits is called later") {
  Recording recording;
  std::atomic<int32_t> own_threads[AfterSampling::kOwnThreads] = {};
  AfterSampling after(LookAt(recording), own_threads, &recording.own_cpu_ns);
  const long before = CountThreads();
  std::atomic<int> called{0};
  after.SetWatch(true);
  REQUIRE(after.Add([&](SamplingState) { ++called; }));
  after.StepAside();
  CHECK(CountThreads() == before);
  after.StepAside();
  REQUIRE(after.Add([&](SamplingState) { ++called; }));
  after.tick_signal().Tick(MonotonicNs(), true);
  after.StepBack();
  CHECK(CountThreads() == before);
  CHECK(called == 0);
  after.StepBack();
  while (called != 2) std::this_thread::yield();
  CHECK(CountThreads() == before + 1);
  after.StepAside();
  REQUIRE(after.Add([&](SamplingState) { ++called; }));
  after.Shutdown();  // handed back meanwhile
  CHECK(called == 3);
  after.StepBack();
  CHECK(CountThreads() == before);
}

TEST_CASE("a job does not wait for a tick") {
  Recording recording;
  std::atomic<int32_t> own_threads[AfterSampling::kOwnThreads] = {};
  AfterSampling after(LookAt(recording), own_threads, &recording.own_cpu_ns);
  std::atomic<bool> ran{false};
  REQUIRE(after.Add([](SamplingState) {}));
  REQUIRE(after.Post([&] { ran = true; }));
  while (!ran) std::this_thread::yield();
  after.Shutdown();
}

TEST_CASE("a recording that ends by itself, or sleeps in a pause, keeps nobody waiting") {
  Recording recording;
  std::atomic<int32_t> own_threads[AfterSampling::kOwnThreads] = {};
  AfterSampling after(LookAt(recording), own_threads, &recording.own_cpu_ns);
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

TEST_CASE("of two shutdowns none comes back before the thread has ended") {
  Recording recording;
  std::atomic<int32_t> own_threads[AfterSampling::kOwnThreads] = {};
  AfterSampling after(LookAt(recording), own_threads, &recording.own_cpu_ns);
  for (int i = 0; i < 50; ++i) {
    std::atomic<bool> entered{false}, left{false};
    std::atomic<int> early{0};
    REQUIRE(after.Add([&](SamplingState) {
      entered = true;
      for (int turn = 0; turn < 100; ++turn) std::this_thread::yield();
      left = true;
    }));
    const auto shut_down = [&] {
      after.Shutdown();
      if (!left) ++early;
    };
    std::thread one(shut_down), another(shut_down);
    one.join();
    another.join();
    CHECK(early == 0);
    CHECK(entered);
  }
}

TEST_CASE("what is added while the thread ends is called") {
  Recording recording;
  std::atomic<int32_t> own_threads[AfterSampling::kOwnThreads] = {};
  AfterSampling after(LookAt(recording), own_threads, &recording.own_cpu_ns);
  std::atomic<bool> ends{false};
  std::atomic<int> called{0};
  int added = 0;
  std::thread ender([&] {
    while (!ends) after.Shutdown();
  });
  for (int i = 0; i < 500; ++i) added += after.Add([&](SamplingState) { ++called; }) ? 1 : 0;
  ends = true;
  ender.join();
  after.Shutdown();
  CHECK(added == 500);
  CHECK(called == added);
}

TEST_CASE("one that adds itself again keeps no shutdown from coming back") {
  Recording recording;
  std::atomic<int32_t> own_threads[AfterSampling::kOwnThreads] = {};
  AfterSampling after(LookAt(recording), own_threads, &recording.own_cpu_ns);
  std::atomic<int> called{0};
  REQUIRE(after.Add([&](SamplingState) {
    ++called;
    CHECK(after.IsOwnThread());
    after.Add([&](SamplingState) { ++called; });
  }));
  after.Shutdown();
  CHECK(called >= 1);
  after.Shutdown();
  CHECK(called == 2);
}

TEST_CASE("after a shutdown it can be used again") {
  Recording recording;
  std::atomic<int32_t> own_threads[AfterSampling::kOwnThreads] = {};
  AfterSampling after(LookAt(recording), own_threads, &recording.own_cpu_ns);
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
