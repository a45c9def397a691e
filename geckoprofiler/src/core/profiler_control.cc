// geckoprofiler/profiler_control.h: from the units of the API to those of the library.
#include "geckoprofiler/profiler_control.h"

#include "core/full_profiler.h"
#include "core/start_request.h"
#include "geckoprof/config/start_parameters.h"

using geckoprof::FullProfiler;
using geckoprof::MakeStartRequest;

uint32_t profiler_get_available_features() { return geckoprof::AvailableFeatures(); }

geckoprof::ProfilerOutcome profiler_init(void*) { return FullProfiler::Get().Init(); }
geckoprof::ProfilerOutcome profiler_shutdown() { return FullProfiler::Get().Shutdown(); }

geckoprof::ProfilerStartResult profiler_start(uint32_t capacity_entries, double interval_ms, uint32_t features,
                                              const char* const* filters, uint32_t filter_count,
                                              std::optional<double> duration_s) {
  return FullProfiler::Get().Start(
      {MakeStartRequest(capacity_entries, interval_ms, features, filters, filter_count, duration_s), false});
}

geckoprof::ProfilerStartResult profiler_ensure_started(uint32_t capacity_entries, double interval_ms, uint32_t features,
                                                       const char* const* filters, uint32_t filter_count,
                                                       std::optional<double> duration_s) {
  return FullProfiler::Get().Start(
      {MakeStartRequest(capacity_entries, interval_ms, features, filters, filter_count, duration_s), true});
}

geckoprof::ProfilerOutcome profiler_stop() { return FullProfiler::Get().Stop(); }
geckoprof::ProfilerOutcome profiler_pause() { return FullProfiler::Get().Pause(geckoprof::kStatePaused); }
geckoprof::ProfilerOutcome profiler_resume() { return FullProfiler::Get().Resume(geckoprof::kStatePaused); }
geckoprof::ProfilerOutcome profiler_pause_sampling() {
  return FullProfiler::Get().Pause(geckoprof::kStateSamplingPaused);
}
geckoprof::ProfilerOutcome profiler_resume_sampling() {
  return FullProfiler::Get().Resume(geckoprof::kStateSamplingPaused);
}

void profiler_get_start_params(uint32_t* capacity_entries, std::optional<double>* duration_s, double* interval_ms,
                               uint32_t* features, std::vector<std::string>* filters) {
  const auto found = FullProfiler::Get().base().Parameters();
  const geckoprof::RecordingParameters none;
  const geckoprof::RecordingParameters& parameters = found.ok() ? found.value() : none;
  if (capacity_entries != nullptr) {
    *capacity_entries = static_cast<uint32_t>(parameters.capacity_bytes / geckoprof::kBytesPerEntry);
  }
  if (interval_ms != nullptr) *interval_ms = static_cast<double>(parameters.interval_ns) / 1e6;
  if (features != nullptr) *features = parameters.features;
  if (filters != nullptr) *filters = parameters.filters;
  if (duration_s != nullptr) {
    *duration_s =
        parameters.duration_ns > 0 ? std::optional(static_cast<double>(parameters.duration_ns) / 1e9) : std::nullopt;
  }
}
