// geckoprofiler/profiler_state.h.
#include "geckoprofiler/profiler_state.h"

#include <utility>

#include "capture/process_clock.h"
#include "core/full_profiler.h"
#include "geckoprof/base/clock.h"

using geckoprof::FullProfiler;
using geckoprof::kStateActive;
using geckoprof::kStatePaused;
using geckoprof::kStateSamplingPaused;

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
  const int64_t start_ns = geckoprof::ProcessStartNs(FullProfiler::Get().base());
  return static_cast<double>(geckoprof::MonotonicNs() - start_ns) / 1e6;
}

void profiler_add_state_change_callback(ProfilingStateSet states, ProfilingStateChangeCallback callback,
                                        uintptr_t unique_id) {
  if (!callback) return;
  FullProfiler::Get().listeners().Add(states, std::move(callback), unique_id, profiler_is_active());
}

bool profiler_remove_state_change_callback(uintptr_t unique_id) {
  return FullProfiler::Get().listeners().Remove(unique_id);
}

bool profiler_callback_after_sampling(PostSamplingCallback callback) {
  return FullProfiler::Get().CallAfterSampling(std::move(callback));
}
