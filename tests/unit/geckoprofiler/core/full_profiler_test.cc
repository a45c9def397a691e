#include "core/full_profiler.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "core/api_call.h"
#include "core/start_request.h"
#include "fake_base.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/config/start_features.h"

namespace geckoprof {
namespace {

using Calls = std::vector<std::string>;

FullProfiler::StartRequest Request(uint32_t features = 0, double interval_ms = 1, bool keep_same = false) {
  return {MakeStartRequest(0, interval_ms, features, nullptr, 0, std::nullopt), keep_same};
}

// As the API calls it.
class ApiProfiler : public FullProfiler {
 public:
  using FullProfiler::FullProfiler;
  ~ApiProfiler() { Unload(); }  // its thread too
  ProfilerOutcome Init() {
    return ApiCall::Outcome([this] { return FullProfiler::Init(); });
  }
  ProfilerOutcome Shutdown() {
    return ApiCall::Outcome([this] { return FullProfiler::Shutdown(); });
  }
  ProfilerOutcome Stop() {
    return ApiCall::Outcome([this] { return FullProfiler::Stop(); });
  }
  ProfilerOutcome Pause(uint32_t kind) {
    return ApiCall::Outcome([this, kind] { return FullProfiler::Pause(kind); });
  }
  ProfilerOutcome Resume(uint32_t kind) {
    return ApiCall::Outcome([this, kind] { return FullProfiler::Resume(kind); });
  }
  ProfilerStartResult Start(const StartRequest& request) {
    ProfilerStartResult result;
    CHECK(ApiCall::Run([&] { result = FullProfiler::Start(request); }) == ProfilerStatus::kDone);
    return result;
  }
  bool CallAfterSampling(PostSamplingCallback callback) {
    bool added = false;
    (void)ApiCall::Run([&] { added = FullProfiler::CallAfterSampling(std::move(callback)); });
    return added;
  }
};

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

TEST_CASE("init takes over, shutdown hands back, each once") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  CHECK(profiler.Shutdown().status == ProfilerStatus::kUnchanged);
  CHECK(profiler.Init().status == ProfilerStatus::kDone);
  CHECK(fake.owner != nullptr);
  CHECK(profiler.Init().status == ProfilerStatus::kUnchanged);
  CHECK(profiler.Shutdown().status == ProfilerStatus::kDone);
  CHECK(fake.owner == nullptr);
  CHECK(fake.calls.empty());  // the recording is left as it is
}

TEST_CASE("a start before init does what is needed") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  const ProfilerStartResult result = profiler.Start(Request());
  CHECK(result.outcome.status == ProfilerStatus::kDone);
  CHECK(fake.owner != nullptr);
  CHECK(fake.calls == Calls{"start"});
  CHECK(result.features == kDefaultFeatures);
  CHECK(profiler.active_features() == kDefaultFeatures);
}

TEST_CASE("a refusal is the caller's, and nothing has changed") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  for (const auto& [result, status] : {std::pair{HandoverResult::kOwned, ProfilerStatus::kOwned},
                                       std::pair{HandoverResult::kTimeout, ProfilerStatus::kTimeout},
                                       std::pair{HandoverResult::kWrongThread, ProfilerStatus::kWrongThread}}) {
    fake.take_over_result = static_cast<int32_t>(result);
    CHECK(profiler.Init().status == status);
    CHECK(profiler.Start(Request()).outcome.status == status);
    CHECK_FALSE(profiler.CallAfterSampling([](SamplingState) {}));
  }
  CHECK(fake.calls.empty());
  fake.take_over_result = 0;
  CHECK(profiler.Init().status == ProfilerStatus::kDone);
  fake.hand_back_result = static_cast<int32_t>(HandoverResult::kTimeout);
  CHECK(profiler.Shutdown().status == ProfilerStatus::kTimeout);
  CHECK(profiler.Init().status == ProfilerStatus::kUnchanged);  // still the owner
  fake.hand_back_result = 0;
  CHECK(profiler.Shutdown().status == ProfilerStatus::kDone);
}

TEST_CASE("nothing of another owner's is touched") {
  FakeBase fake;
  fake.StartByBase();
  ApiProfiler profiler(&fake.table);
  const OwnerTable another = {};
  fake.owner = &another;
  CHECK(profiler.Stop().status == ProfilerStatus::kOwned);
  for (const uint32_t kind : {kStatePaused, kStateSamplingPaused}) {
    CHECK(profiler.Pause(kind).status == ProfilerStatus::kOwned);
    CHECK(profiler.Resume(kind).status == ProfilerStatus::kOwned);
  }
  CHECK(profiler.Shutdown().status == ProfilerStatus::kOwned);
  CHECK(profiler.MayControl().status == ProfilerStatus::kOwned);
  CHECK(fake.calls.empty());
  fake.owner = nullptr;
  CHECK(profiler.MayControl().status == ProfilerStatus::kDone);
  CHECK(profiler.Shutdown().status == ProfilerStatus::kUnchanged);
  CHECK(profiler.Pause(kStatePaused).status == ProfilerStatus::kDone);
  CHECK(profiler.Init().status == ProfilerStatus::kDone);
  CHECK(profiler.Stop().status == ProfilerStatus::kDone);
}

TEST_CASE("without base everything answers") {
  ApiProfiler profiler(nullptr);
  CHECK(profiler.Init().status == ProfilerStatus::kNoBase);
  CHECK(profiler.Start(Request()).outcome.status == ProfilerStatus::kNoBase);
  CHECK(profiler.Stop().status == ProfilerStatus::kNoBase);
  CHECK(profiler.Pause(kStatePaused).status == ProfilerStatus::kNoBase);
  CHECK(profiler.state() == 0);
  CHECK(profiler.Shutdown().status == ProfilerStatus::kUnchanged);
}

TEST_CASE("what base recorded is adopted, what is ours is replaced") {
  FakeBase fake;
  fake.StartByBase();
  ApiProfiler profiler(&fake.table);
  CHECK(profiler.Start(Request(0, 2)).outcome.status == ProfilerStatus::kDone);
  CHECK(fake.calls == Calls{"reconfigure"});
  CHECK(fake.parameters.interval_ns == 2'000'000);
  CHECK(profiler.Start(Request(0, 3)).outcome.status == ProfilerStatus::kDone);
  CHECK(fake.calls == Calls{"reconfigure", "stop", "start"});
  CHECK(profiler.Start(Request(0, 3)).outcome.status == ProfilerStatus::kDone);
  CHECK(fake.calls == Calls{"reconfigure", "stop", "start", "stop", "start"});
  // A recording that base's API started meanwhile is base's.
  fake.StopByBase();
  fake.StartByBase();
  CHECK(profiler.Start(Request()).outcome.status == ProfilerStatus::kDone);
  CHECK(fake.calls.back() == "reconfigure");
  // After a hand-back it is base's again.
  CHECK(profiler.Shutdown());
  CHECK(profiler.Start(Request()).outcome.status == ProfilerStatus::kDone);
  CHECK(fake.calls.back() == "reconfigure");
  CHECK(profiler.Shutdown());
}

TEST_CASE("filters that count in part are told") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  const std::string longest(63, 'x');
  std::vector<const char*> filters(32, longest.c_str());
  const auto start = [&] {
    const auto count = static_cast<uint32_t>(filters.size());
    return profiler.Start({MakeStartRequest(0, 1, 0, filters.data(), count, std::nullopt), false}).outcome;
  };
  CHECK(start().detail.empty());
  const std::string longer(64, 'x');
  filters[31] = longer.c_str();
  CHECK(start().Text() == "of each filter the first 63 bytes count");
  filters.push_back("one more");
  const ProfilerOutcome outcome = start();
  CHECK((outcome && outcome.Text() == "of 33 filters the first 32 count"));
}

TEST_CASE("ensuring keeps what is the same") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  CHECK(profiler.Start(Request(0, 1, true)).outcome.status == ProfilerStatus::kDone);
  const ProfilerStartResult again = profiler.Start(Request(0, 1, true));
  CHECK(again.outcome.status == ProfilerStatus::kUnchanged);
  CHECK(again);
  CHECK(again.features == kDefaultFeatures);
  CHECK(fake.calls == Calls{"start"});
  CHECK(profiler.Start(Request(ProfilerFeature::CPUUtilization, 1, true)).outcome.status == ProfilerStatus::kDone);
  CHECK(fake.calls == Calls{"start", "stop", "start"});
}

TEST_CASE("an old base's recording goes on as it is") {
  FakeBase fake;
  fake.StartByBase();
  fake.table.size_bytes = offsetof(HandoverTable, reconfigure);
  ApiProfiler profiler(&fake.table);
  const ProfilerStartResult result = profiler.Start(Request());
  CHECK(result.outcome.status == ProfilerStatus::kUnchanged);
  CHECK(result.outcome.Text().find("too old") != std::string::npos);
  CHECK(fake.calls.empty());
}

TEST_CASE("refused features are told to the caller and marked, the rest is started") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  const ProfilerStartResult result = profiler.Start(Request(FeatureBit("memory") | ProfilerFeature::StackWalk));
  CHECK(result.outcome.status == ProfilerStatus::kDone);
  REQUIRE(result.refusals.size() == 1);
  CHECK(result.refusals[0].name == "memory");
  CHECK(fake.parameters.features == ProfilerFeature::StackWalk);
  CHECK(fake.parameters.requested_features == (FeatureBit("memory") | ProfilerFeature::StackWalk));
  REQUIRE(fake.markers.size() == 1);
  CHECK(fake.markers[0].find("Feature not available: memory: ") == 0);
}

TEST_CASE("a refused feature is marked once in each recording, however often it is asked for") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  fake.StartByBase();
  REQUIRE(profiler.Start(Request(FeatureBit("memory") | ProfilerFeature::StackWalk)));
  CHECK(fake.markers.size() == 1);
  REQUIRE(profiler.Shutdown());
  REQUIRE(profiler.Start(Request(FeatureBit("memory") | FeatureBit("power") | ProfilerFeature::StackWalk)));
  REQUIRE(fake.calls.back() == "reconfigure");  // the same recording
  REQUIRE(fake.markers.size() == 2);
  CHECK(fake.markers[1].find("Feature not available: power: ") == 0);
  REQUIRE(profiler.Start(Request(FeatureBit("memory") | ProfilerFeature::StackWalk)));
  REQUIRE(fake.calls.back() == "start");  // another one
  REQUIRE(fake.markers.size() == 3);
  CHECK(fake.markers[2].find("Feature not available: memory: ") == 0);
}

TEST_CASE("bits of features are not bits of states") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  REQUIRE(profiler.Start(Request(UINT32_MAX)));
  CHECK(profiler.state() == kStateActive);
  CHECK(profiler.active_features() ==
        (ProfilerFeature::NoStackSampling | ProfilerFeature::CPUUtilization | ProfilerFeature::NoMarkerStacks |
         ProfilerFeature::MarkersAllThreads | ProfilerFeature::Flows));
}

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
  FullProfiler::StartRequest excluding = {MakeStartRequest(0, 1, 0, filters, 1, std::nullopt), false};
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

TEST_CASE("a sampler that does not take the parameters over in time costs no recording") {
  FakeBase fake;
  fake.StartByBase();
  fake.table.reconfigure = [](const HandoverParameters*) { return 0; };
  ApiProfiler profiler(&fake.table);
  CHECK(profiler.Start(Request()).outcome.status == ProfilerStatus::kTimeout);
  CHECK(fake.calls.empty());
  CHECK(profiler.state() == kStateActive);
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

TEST_CASE("the two kinds of pause are independent") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  CHECK(profiler.Pause(kStateSamplingPaused).status == ProfilerStatus::kInactive);
  profiler.Start(Request());
  CHECK(profiler.Pause(kStateSamplingPaused).status == ProfilerStatus::kDone);
  CHECK(profiler.Pause(kStatePaused).status == ProfilerStatus::kDone);
  CHECK(profiler.state() == (kStateActive | kStatePaused | kStateSamplingPaused));
  CHECK(profiler.Resume(kStatePaused).status == ProfilerStatus::kDone);
  CHECK(profiler.state() == (kStateActive | kStateSamplingPaused));
  CHECK(profiler.Resume(kStateSamplingPaused).status == ProfilerStatus::kDone);
  CHECK(profiler.state() == kStateActive);
}

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
  fake.Tick(1, true);  // it began before
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(called == -1);
  fake.Tick(MonotonicNs(), true);
  CHECK(result(SamplingState::SamplingCompleted));
  CHECK(profiler.CallAfterSampling(note));
  fake.Tick(MonotonicNs(), false);
  CHECK(result(SamplingState::SamplingPaused));
  CHECK(profiler.CallAfterSampling(note));
  profiler.Stop();
  CHECK(result(SamplingState::JustStopped));
  profiler.Start(Request(ProfilerFeature::NoStackSampling));
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
