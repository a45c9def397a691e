// What listeners to states hear of a FullProfiler: core/full_profiler.h.

#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "api_profiler.h"
#include "fake_base.h"
#include "geckoprof/base/clock.h"

namespace geckoprof {
namespace {

using Calls = std::vector<std::string>;

// The states that a listener heard, as letters: A(lready) R(emoving) S(tarted) P(ausing) U(npaused) X (stopping)
// D(own).
class HeardStates {
 public:
  explicit HeardStates(FullProfiler& profiler) : profiler_(profiler) {
    profiler.listeners().Add(
        ProfilingStateSet::AllStates(),
        [this](ProfilingState state) {
          const std::lock_guard<std::mutex> holder(mutex_);
          text_ += Letter(state);
        },
        9, (profiler.state() & kStateActive) != 0);
  }
  ~HeardStates() { profiler_.listeners().Remove(9); }
  HeardStates(const HeardStates&) = delete;
  HeardStates& operator=(const HeardStates&) = delete;

  std::string text() {
    const std::lock_guard<std::mutex> holder(mutex_);
    return text_;
  }
  // What base's API changed is told on another thread.
  bool WaitFor(const std::string& wanted) {
    const int64_t deadline_ns = MonotonicNs() + 10 * kNsPerSecond;
    while (text() != wanted && MonotonicNs() < deadline_ns) std::this_thread::yield();
    return text() == wanted;
  }

 private:
  static char Letter(ProfilingState state) {
    switch (state) {
      case ProfilingState::AlreadyActive:
        return 'A';
      case ProfilingState::RemovingCallback:
        return 'R';
      case ProfilingState::Started:
        return 'S';
      case ProfilingState::Pausing:
        return 'P';
      case ProfilingState::Resumed:
        return 'U';
      case ProfilingState::GeneratingProfile:
        return 'G';
      case ProfilingState::Stopping:
        return 'X';
      case ProfilingState::ShuttingDown:
        return 'D';
    }
    return '?';
  }
  FullProfiler& profiler_;
  std::mutex mutex_;
  std::string text_;
};

TEST_CASE("a start that fails is not told as one") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  HeardStates heard(profiler);
  fake.start_result = 3;
  CHECK(profiler.Start(Request()).outcome.status == ProfilerStatus::kNoSegment);
  CHECK(heard.text().empty());
}

TEST_CASE("a recording of ours that is lost to a start that fails is told as stopped") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  HeardStates heard(profiler);
  REQUIRE(profiler.Start(Request()));
  fake.start_result = 3;
  CHECK(profiler.Start(Request(0, 2)).outcome.status == ProfilerStatus::kNoSegment);
  CHECK(heard.text() == "SX");
  CHECK(profiler.state() == 0);
}

TEST_CASE("filters that exclude the process are refused before anything has changed") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  const char* const filters[] = {"pid:1"};
  geckoprof_start_parameters wanted = GECKOPROF_START_PARAMETERS;
  wanted.filters = filters;
  wanted.filter_count = 1;
  FullProfiler::StartRequest excluding = {MakeStartRequest(wanted), false};
  SECTION("nothing is recorded") {
    CHECK(profiler.Start(excluding).outcome.status == ProfilerStatus::kExcluded);
    CHECK(fake.markers.empty());
  }
  SECTION("base's recording") {
    fake.StartByBase();
    CHECK(profiler.Start(excluding).outcome.status == ProfilerStatus::kExcluded);
    CHECK(fake.markers == std::vector<std::string>{"Start refused: the filters exclude this process"});
    CHECK(profiler.Start(Request()).outcome.status == ProfilerStatus::kDone);  // and is adopted yet
    CHECK(fake.calls == Calls{"reconfigure"});
    return;
  }
  SECTION("ours") {
    HeardStates heard(profiler);
    REQUIRE(profiler.Start(Request()));
    fake.calls.clear();
    excluding.keep_same = true;
    CHECK(profiler.Start(excluding).outcome.status == ProfilerStatus::kExcluded);
    CHECK(profiler.state() == kStateActive);
    CHECK(heard.text() == "S");
  }
  CHECK(fake.calls.empty());
}

TEST_CASE("listeners hear each change once, in Firefox's order") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  HeardStates heard(profiler);
  profiler.Start(Request());
  profiler.Pause(kStatePaused);
  profiler.Pause(kStatePaused);
  profiler.Resume(kStatePaused);
  profiler.Resume(kStatePaused);
  profiler.Pause(kStateSamplingPaused);  // no state of Firefox's
  profiler.Resume(kStateSamplingPaused);
  profiler.Start(Request());  // a restart is no stop
  profiler.Stop();
  profiler.Stop();
  profiler.Shutdown();
  profiler.Shutdown();
  CHECK(heard.text() == "SPUSXD");
}

TEST_CASE("listeners hear what base's API does") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  REQUIRE(profiler.Init());
  HeardStates heard(profiler);
  fake.StartByBase();
  CHECK(heard.WaitFor("S"));
  fake.ChangeByBase(kStateActive | kStatePaused);
  CHECK(heard.WaitFor("SP"));
  fake.ChangeByBase(kStateActive);
  CHECK(heard.WaitFor("SPU"));
  fake.StartByBase();  // the one before ended by itself, which nobody told
  CHECK(heard.WaitFor("SPUXS"));
  fake.StopByBase();
  CHECK(heard.WaitFor("SPUXSX"));
  profiler.Shutdown();
}

TEST_CASE("listeners hear of a recording that ended by itself, once") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  HeardStates heard(profiler);
  REQUIRE(profiler.Start(Request()).outcome);
  fake.Tick(1, false);  // a pause is no end
  fake.state = 0;
  fake.Tick(2, false);
  CHECK(heard.WaitFor("SX"));
  profiler.Stop();
  fake.Tick(3, false);
  REQUIRE(profiler.Start(Request()).outcome);
  CHECK(heard.text() == "SXS");
  profiler.Shutdown();
}

TEST_CASE("listeners hear what another process does, once") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  HeardStates heard(profiler);
  REQUIRE(profiler.Start(Request()).outcome);
  fake.state = kStateActive | kStatePaused;  // base's control thread changes it, and tells nobody
  CHECK(heard.WaitFor("SP"));
  profiler.Pause(kStatePaused);
  fake.state = kStateActive;
  CHECK(heard.WaitFor("SPU"));
  fake.state = 0;
  CHECK(heard.WaitFor("SPUX"));
  profiler.Shutdown();
  CHECK(heard.text() == "SPUXD");
}

TEST_CASE("a listener may use all of the API") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  int depth = 0;
  profiler.listeners().Add(
      ProfilingState::Started,
      [&](ProfilingState) {
        ++depth;
        profiler.Pause(kStatePaused);
        profiler.Resume(kStatePaused);
        profiler.Start(Request());
        profiler.Stop();
        profiler.Shutdown();
      },
      4, false);
  profiler.Start(Request());
  CHECK(depth == 1);  // its own start is not told it
  CHECK(profiler.state() == 0);
  CHECK(fake.owner == nullptr);
}

TEST_CASE("threads that start, stop and pause at a time do no harm") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  std::atomic<int> heard{0};
  profiler.listeners().Add(
      ProfilingStateSet::AllStates(), [&](ProfilingState) { ++heard; }, 2, false);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        if (t == 0) profiler.Start(Request());
        if (t == 1) profiler.Stop();
        if (t == 2) (i % 2 == 0 ? profiler.Pause(kStatePaused) : profiler.Resume(kStatePaused));
        if (t == 3) (i % 2 == 0 ? profiler.Init() : profiler.Shutdown());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(heard > 0);
  profiler.Shutdown();
}

}  // namespace
}  // namespace geckoprof
