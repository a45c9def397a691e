// geckoprofiler/profiler_state.h.
#include "geckoprofiler/profiler_state.h"

#include <utility>

#include "capture/process_clock.h"
#include "core/full_profiler.h"
#include "geckoprof/base/clock.h"
#include "runtime/api_call.h"
#include "runtime/memory_guard.h"

using geckoprof::ApiCall;
using geckoprof::FullProfiler;
using geckoprof::kStateActive;
using geckoprof::kStatePaused;
using geckoprof::kStateSamplingPaused;
using geckoprof::ProfilerStatus;

bool profiler_is_active() { return (FullProfiler::Get().state() & kStateActive) != 0; }
bool profiler_is_active_and_unpaused() {
  return (FullProfiler::Get().state() & (kStateActive | kStatePaused)) == kStateActive;
}
bool profiler_is_paused() { return (FullProfiler::Get().state() & kStatePaused) != 0; }
bool profiler_is_sampling_paused() {
  return (FullProfiler::Get().state() & (kStatePaused | kStateSamplingPaused)) != 0;
}

std::optional<uint32_t> profiler_features_if_active() {
  if (!profiler_is_active()) return std::nullopt;
  return FullProfiler::Get().active_features();
}
std::optional<uint32_t> profiler_features_if_active_and_unpaused() {
  if (!profiler_is_active_and_unpaused()) return std::nullopt;
  return FullProfiler::Get().active_features();
}
bool profiler_feature_active(uint32_t feature) { return (profiler_features_if_active().value_or(0) & feature) != 0; }
bool profiler_active_without_feature(uint32_t feature) {
  const auto features = profiler_features_if_active();
  return features.has_value() && (*features & feature) == 0;
}

double profiler_time() {
  int64_t start_ns = 0;
  const auto look = [](void* out) { *static_cast<int64_t*>(out) = ProcessStartNs(FullProfiler::Get().base()); };
  if (!geckoprof::RunUnlessOutOfMemory(look, &start_ns)) return 0;
  return static_cast<double>(geckoprof::MonotonicNs() - start_ns) / 1e6;
}

bool profiler_add_state_change_callback(ProfilingStateSet states, ProfilingStateChangeCallback callback,
                                        uintptr_t unique_id) {
  if (!callback) return false;
  const auto add = [&] { FullProfiler::Get().Listen(states, std::move(callback), unique_id); };
  return ApiCall::Run(add) == ProfilerStatus::kDone;
}

bool profiler_remove_state_change_callback(uintptr_t unique_id) {
  bool removed = false;
  (void)ApiCall::Run([&] { removed = FullProfiler::Get().Unlisten(unique_id); });
  return removed;
}

bool profiler_callback_after_sampling(PostSamplingCallback callback) {
  bool added = false;
  (void)ApiCall::Run([&] { added = FullProfiler::Get().CallAfterSampling(std::move(callback)); });
  return added;
}
