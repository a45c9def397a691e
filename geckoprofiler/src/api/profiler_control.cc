// geckoprofiler/profiler_control.h: from the units of the API to those of the library.
#include "geckoprofiler/profiler_control.h"

#include <utility>

#include "baseprofiler/base_profiler_abi.h"
#include "core/full_profiler.h"
#include "core/start_request.h"
#include "geckoprof/base/main_thread_name.h"
#include "geckoprof/config/start_parameters.h"
#include "geckoprofiler/profiler_threads.h"
#include "runtime/api_call.h"
#include "threads/current_thread.h"

// Weak: an older base has none.
#pragma weak geckoprof_base_set_process_name

using geckoprof::ApiCall;
using geckoprof::FullProfiler;
using geckoprof::ProfilerOutcome;
using geckoprof::ProfilerStartResult;
using geckoprof::ProfilerStatus;

namespace {

// What profiler_start and profiler_ensure_started are asked for.
struct Asked {
  uint32_t capacity_entries;
  double interval_ms;
  uint32_t features;
  const char* const* filters;
  uint32_t filter_count;
  std::optional<double> duration_s;
};

// Once the library is the owner, asked for by the main thread: its data can be had then, as the original's init has it.
// Another thread's asking does nothing to it.
void RegisterMainThread() {
  using geckoprof::CurrentThread;
  if (!profiler_is_main_thread() || CurrentThread::record() != nullptr) return;
  (void)CurrentThread::Register(geckoprof::kMainThreadName.data());
}

ProfilerStartResult Start(const Asked& asked, bool keep_same) {
  ProfilerStartResult result;
  const ProfilerStatus status = ApiCall::Run([&] {
    result = FullProfiler::Get().Start(
        {geckoprof::MakeStartRequest(asked.capacity_entries, asked.interval_ms, asked.features, asked.filters,
                                     asked.filter_count, asked.duration_s),
         keep_same});
  });
  if (status != ProfilerStatus::kDone) result.outcome = {status, {}};
  if (result.outcome) RegisterMainThread();
  return result;
}

ProfilerOutcome Pause(uint32_t kind) {
  return ApiCall::Outcome([kind] { return FullProfiler::Get().Pause(kind); });
}
ProfilerOutcome Resume(uint32_t kind) {
  return ApiCall::Outcome([kind] { return FullProfiler::Get().Resume(kind); });
}

}  // namespace

uint32_t profiler_get_available_features() { return geckoprof::AvailableFeatures(); }

ProfilerOutcome profiler_init(void*) {
  ProfilerOutcome outcome = ApiCall::Outcome([] { return FullProfiler::Get().Init(); });
  if (outcome) RegisterMainThread();
  return outcome;
}
ProfilerOutcome profiler_shutdown() {
  return ApiCall::Outcome([] { return FullProfiler::Get().Shutdown(); });
}

ProfilerStartResult profiler_start(uint32_t capacity_entries, double interval_ms, uint32_t features,
                                   const char* const* filters, uint32_t filter_count,
                                   std::optional<double> duration_s) {
  return Start({capacity_entries, interval_ms, features, filters, filter_count, duration_s}, false);
}

ProfilerStartResult profiler_ensure_started(uint32_t capacity_entries, double interval_ms, uint32_t features,
                                            const char* const* filters, uint32_t filter_count,
                                            std::optional<double> duration_s) {
  return Start({capacity_entries, interval_ms, features, filters, filter_count, duration_s}, true);
}

ProfilerOutcome profiler_stop() {
  return ApiCall::Outcome([] { return FullProfiler::Get().Stop(); });
}
ProfilerOutcome profiler_pause() { return Pause(geckoprof::kStatePaused); }
ProfilerOutcome profiler_resume() { return Resume(geckoprof::kStatePaused); }
ProfilerOutcome profiler_pause_sampling() { return Pause(geckoprof::kStateSamplingPaused); }
ProfilerOutcome profiler_resume_sampling() { return Resume(geckoprof::kStateSamplingPaused); }

ProfilerOutcome profiler_set_process_name(const char* name, const char*) {
  return ApiCall::Outcome([name]() -> ProfilerOutcome {
    if (geckoprof_base_set_process_name == nullptr) return {ProfilerStatus::kOldBase, {}};
    if (ProfilerOutcome may = FullProfiler::Get().MayControl(); may.status == ProfilerStatus::kOwned) return may;
    geckoprof_base_set_process_name(name);
    return {};
  });
}

void profiler_get_start_params(uint32_t* capacity_entries, std::optional<double>* duration_s, double* interval_ms,
                               uint32_t* features, std::vector<std::string>* filters) {
  geckoprof::RecordingParameters parameters;
  (void)ApiCall::Run([&parameters] {
    auto found = FullProfiler::Get().base().Parameters();
    if (found.ok()) parameters = std::move(found.value());
  });
  if (capacity_entries != nullptr) {
    *capacity_entries = static_cast<uint32_t>(parameters.capacity_bytes / geckoprof::kBytesPerEntry);
  }
  if (interval_ms != nullptr) *interval_ms = static_cast<double>(parameters.interval_ns) / 1e6;
  if (features != nullptr) *features = parameters.features;
  if (filters != nullptr) *filters = std::move(parameters.filters);
  if (duration_s != nullptr) {
    *duration_s =
        parameters.duration_ns > 0 ? std::optional(static_cast<double>(parameters.duration_ns) / 1e9) : std::nullopt;
  }
}
