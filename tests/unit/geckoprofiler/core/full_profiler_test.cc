#include "core/full_profiler.h"

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "api_profiler.h"
#include "fake_base.h"
#include "geckoprof/config/start_features.h"

namespace geckoprof {
namespace {

using Calls = std::vector<std::string>;

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
  const FullProfiler::StartResult result = profiler.Start(Request());
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
    geckoprof_start_parameters wanted = GECKOPROF_START_PARAMETERS;
    wanted.filters = filters.data();
    wanted.filter_count = count;
    return profiler.Start({MakeStartRequest(wanted), false}).outcome;
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
  const FullProfiler::StartResult again = profiler.Start(Request(0, 1, true));
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
  const FullProfiler::StartResult result = profiler.Start(Request());
  CHECK(result.outcome.status == ProfilerStatus::kUnchanged);
  CHECK(result.outcome.Text().find("too old") != std::string::npos);
  CHECK(fake.calls.empty());
}

constexpr uint32_t kTracing = 1u << 25, kPower = 1u << 21;  // in Firefox

TEST_CASE("refused features are told to the caller and marked, the rest is started") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  const FullProfiler::StartResult result = profiler.Start(Request(kTracing | ProfilerFeature::StackWalk));
  CHECK(result.outcome.status == ProfilerStatus::kDone);
  CHECK(result.refused_features == kTracing);
  CHECK(fake.parameters.features == ProfilerFeature::StackWalk);
  CHECK(fake.parameters.requested_features == (kTracing | ProfilerFeature::StackWalk));
  REQUIRE(fake.markers.size() == 1);
  CHECK(fake.markers[0].find("Feature not available: bit 25: ") == 0);
}

TEST_CASE("a refused feature is marked once in each recording, however often it is asked for") {
  FakeBase fake;
  ApiProfiler profiler(&fake.table);
  fake.StartByBase();
  REQUIRE(profiler.Start(Request(kTracing | ProfilerFeature::StackWalk)));
  CHECK(fake.markers.size() == 1);
  REQUIRE(profiler.Shutdown());
  REQUIRE(profiler.Start(Request(kTracing | kPower | ProfilerFeature::StackWalk)));
  REQUIRE(fake.calls.back() == "reconfigure");  // the same recording
  REQUIRE(fake.markers.size() == 2);
  CHECK(fake.markers[1].find("Feature not available: power: ") == 0);
  REQUIRE(profiler.Start(Request(kTracing | ProfilerFeature::StackWalk)));
  REQUIRE(fake.calls.back() == "start");  // another one
  REQUIRE(fake.markers.size() == 3);
  CHECK(fake.markers[2].find("Feature not available: bit 25: ") == 0);
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

TEST_CASE("a sampler that does not take the parameters over in time costs no recording") {
  FakeBase fake;
  fake.StartByBase();
  fake.table.reconfigure = [](const HandoverParameters*) { return 0; };
  ApiProfiler profiler(&fake.table);
  CHECK(profiler.Start(Request()).outcome.status == ProfilerStatus::kTimeout);
  CHECK(fake.calls.empty());
  CHECK(profiler.state() == kStateActive);
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

}  // namespace
}  // namespace geckoprof
