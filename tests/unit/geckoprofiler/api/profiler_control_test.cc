// The public functions where there is no base: what they do with one is tested in tests/handover.
#include "geckoprofiler/profiler_control.h"

#include <catch2/catch.hpp>
#include <functional>
#include <limits>
#include <memory>

#include "geckoprofiler/profiler_output.h"
#include "geckoprofiler/profiler_state.h"

namespace geckoprof {
namespace {

TEST_CASE("times are rounded, and never undefined") {
  using limits = std::numeric_limits<double>;
  CHECK(detail::ToNs(2.5, 1e6) == 2'500'000);
  CHECK(detail::ToNs(0.25, 1e9) == 250'000'000);
  CHECK(detail::ToNs(1e-9, 1e6) == 1);
  CHECK(detail::ToNs(1e300, 1e6) == INT64_MAX);
  CHECK(detail::ToNs(limits::infinity(), 1e6) == INT64_MAX);
  for (const double none : {0.0, -1.0, -limits::infinity(), limits::quiet_NaN()}) CHECK(detail::ToNs(none, 1e6) == 0);
}

TEST_CASE("without a base every function answers") {
  CHECK(profiler_init().status == ProfilerStatus::kNoBase);
  CHECK(profiler_init().Text() == ToText(ProfilerStatus::kNoBase));
  const ProfilerStartResult started = profiler_start(0, 1, ProfilerFeature::StackWalk | 1u << 25 | 1u << 28);
  CHECK(started.outcome.status == ProfilerStatus::kNoBase);
  REQUIRE(started.refusals.size() == 2);
  CHECK(started.refusals[0].name == "bit 25");
  CHECK(started.refusals[1].name == "bit 28");
  CHECK(started.refusals[1].reason == "no feature has this number");
  CHECK(profiler_stop().status == ProfilerStatus::kNoBase);
  CHECK(profiler_pause().status == ProfilerStatus::kNoBase);
  CHECK(profiler_shutdown().status == ProfilerStatus::kUnchanged);
  CHECK_FALSE(profiler_is_active());
  CHECK_FALSE(profiler_features_if_active().has_value());
  CHECK_FALSE(profiler_get_buffer_info().has_value());
  CHECK(profiler_get_profile().error().status == ProfilerStatus::kNoBase);
  CHECK(profiler_save_profile(nullptr).Text() == "a file name is needed");
  uint32_t entries = 7;
  std::optional<double> duration_s = 7;
  std::vector<std::string> filters = {"kept"};
  profiler_get_start_params(&entries, &duration_s, nullptr, nullptr, &filters);
  CHECK((entries == 0 && !duration_s.has_value() && filters.empty()));
}

TEST_CASE("empty callbacks are refused, and others are destroyed once they are removed") {
  CHECK_FALSE(profiler_add_state_change_callback(ProfilingState::Started, std::function<void(ProfilingState)>()));
  void (*const none)(ProfilingState) = nullptr;
  CHECK_FALSE(profiler_add_state_change_callback(ProfilingState::Started, none));
  CHECK_FALSE(profiler_callback_after_sampling(std::function<void(SamplingState)>()));
  CHECK(profiler_stream_json_for_this_process(std::function<bool(std::string_view)>()).status ==
        ProfilerStatus::kBadArgument);

  const auto owned = std::make_shared<int>();
  int told = 0;
  CHECK(profiler_add_state_change_callback(
      ProfilingState::RemovingCallback, [owned, &told](ProfilingState) { ++told; }, 5));
  CHECK(owned.use_count() == 2);
  CHECK(profiler_remove_state_change_callback(5));
  CHECK(told == 1);
  CHECK(owned.use_count() == 1);
  CHECK_FALSE(profiler_remove_state_change_callback(5));
  CHECK_FALSE(profiler_callback_after_sampling([owned](SamplingState) {}));  // nothing is recorded
  CHECK(owned.use_count() == 1);
}

}  // namespace
}  // namespace geckoprof
