// geckoprofiler/c/geckoprof_full.h.
#include <atomic>
#include <cstddef>
#include <utility>

#include "api/guarded_call.h"
#include "core/full_profiler.h"
#include "geckoprof/base/sized_struct.h"
#include "geckoprofiler/c/geckoprof_full.h"
#include "geckoprofiler/profiler_control.h"
#include "geckoprofiler/profiler_features.h"
#include "geckoprofiler/profiler_state.h"
#include "runtime/api_call.h"

using geckoprof::ApiCall;
using geckoprof::FullProfiler;
using geckoprof::GuardedCall;
using geckoprof::ProfilerOutcome;
using geckoprof::ProfilerStartResult;
using geckoprof::ProfilerStatus;

namespace {

using Parameters = geckoprof::SizedStruct<geckoprof_start_parameters>;
using Outcome = geckoprof::SizedStruct<geckoprof_start_outcome>;
constexpr uint32_t kLeastParameterBytes = offsetof(geckoprof_start_parameters, capacity_bytes);
constexpr uint32_t kLeastOutcomeBytes = offsetof(geckoprof_start_outcome, refused_features);
constexpr uint64_t kBytesPerEntry = 8;  // of profiler_start's capacity

static_assert(GECKOPROF_NO_MEMORY == static_cast<int>(ProfilerStatus::kNoMemory));
static_assert(GECKOPROF_NO_BASE == static_cast<int>(ProfilerStatus::kNoBase));
static_assert(GECKOPROF_WRONG_THREAD == static_cast<int>(ProfilerStatus::kWrongThread));
static_assert(GECKOPROF_FILTERED == static_cast<int>(ProfilerStatus::kExcluded));
static_assert(GECKOPROF_FEATURE_STACK_WALK == ProfilerFeature::StackWalk &&
              GECKOPROF_FEATURE_NO_STACK_SAMPLING == ProfilerFeature::NoStackSampling &&
              GECKOPROF_FEATURE_CPU == ProfilerFeature::CPUUtilization);
static_assert(GECKOPROF_TELL_SHUTTING_DOWN == static_cast<uint32_t>(ProfilingState::ShuttingDown));

// Of callbacks that C added; ids of C++'s callers are addresses, or small.
std::atomic<uint64_t> g_next_callback{uint64_t{1} << 63};

int Start(const geckoprof_start_parameters* given, geckoprof_start_outcome* outcome, decltype(&profiler_start) start) {
  geckoprof_start_parameters wanted = GECKOPROF_START_PARAMETERS;
  geckoprof_start_outcome came_to = GECKOPROF_START_OUTCOME;
  if (given != nullptr && (!Parameters::Read(given, kLeastParameterBytes, Parameters::Surplus::kMustBeZero, wanted) ||
                           wanted.reserved != 0 || (wanted.filters == nullptr && wanted.filter_count != 0))) {
    return GECKOPROF_OUT_OF_RANGE;
  }
  if (outcome != nullptr && !Outcome::Write(came_to, kLeastOutcomeBytes, outcome)) return GECKOPROF_OUT_OF_RANGE;
  const uint64_t entries = wanted.capacity_bytes / kBytesPerEntry + (wanted.capacity_bytes % kBytesPerEntry != 0);
  const int status = GuardedCall::Run([&]() -> ProfilerOutcome {
    ProfilerStartResult result = start(entries > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(entries),
                                       static_cast<double>(wanted.interval_ns) / 1e6, wanted.features, wanted.filters,
                                       wanted.filter_count, static_cast<double>(wanted.duration_ns) / 1e9);
    came_to.features = result.features;
    for (const auto& refusal : result.refusals) came_to.refused_features |= refusal.feature;
    return std::move(result.outcome);
  });
  if (outcome != nullptr) Outcome::Write(came_to, kLeastOutcomeBytes, outcome);
  return status;
}

}  // namespace

const char* geckoprof_status_text(int status) {
  if (status < 0 || status > UINT8_MAX) return "unknown";
  return geckoprof::ToText(static_cast<ProfilerStatus>(status));
}

int geckoprof_init(void) {
  return GuardedCall::Run([] { return profiler_init(); });
}
int geckoprof_shutdown(void) { return GuardedCall::Run(&profiler_shutdown); }
int geckoprof_start(const geckoprof_start_parameters* parameters, geckoprof_start_outcome* outcome) {
  return Start(parameters, outcome, &profiler_start);
}
int geckoprof_ensure_started(const geckoprof_start_parameters* parameters, geckoprof_start_outcome* outcome) {
  return Start(parameters, outcome, &profiler_ensure_started);
}
int geckoprof_stop(void) { return GuardedCall::Run(&profiler_stop); }
int geckoprof_pause(void) { return GuardedCall::Run(&profiler_pause); }
int geckoprof_resume(void) { return GuardedCall::Run(&profiler_resume); }
int geckoprof_pause_sampling(void) { return GuardedCall::Run(&profiler_pause_sampling); }
int geckoprof_resume_sampling(void) { return GuardedCall::Run(&profiler_resume_sampling); }

uint32_t geckoprof_get_state(void) {
  return (profiler_is_active() ? GECKOPROF_STATE_ACTIVE : 0) | (profiler_is_paused() ? GECKOPROF_STATE_PAUSED : 0) |
         (profiler_is_sampling_paused() ? GECKOPROF_STATE_SAMPLING_PAUSED : 0);
}
uint32_t geckoprof_get_features(void) { return profiler_features_if_active().value_or(0); }
uint32_t geckoprof_get_available_features(void) { return profiler_get_available_features(); }

int geckoprof_add_state_callback(uint32_t states, geckoprof_state_callback callback, void* user, uint64_t* id) {
  constexpr uint32_t kAll = 2 * GECKOPROF_TELL_SHUTTING_DOWN - 1;
  if (callback == nullptr || states == 0 || (states & ~kAll) != 0) return GECKOPROF_OUT_OF_RANGE;
  ProfilingStateSet wanted;
  for (uint32_t bit = 1; bit <= kAll; bit <<= 1) {
    if ((states & bit) != 0) wanted = wanted + ProfilingStateSet(static_cast<ProfilingState>(bit));
  }
  const uint64_t given = g_next_callback.fetch_add(1, std::memory_order_relaxed);
  if (id != nullptr) *id = given;
  return GuardedCall::Run([&]() -> ProfilerOutcome {
    return {ApiCall::Run([&] {
              const auto call = [callback, user](ProfilingState state) {
                callback(user, static_cast<uint32_t>(state));
              };
              FullProfiler::Get().Listen(wanted, call, given);
            }),
            {}};
  });
}

int geckoprof_remove_state_callback(uint64_t id) {
  return GuardedCall::Run([id]() -> ProfilerOutcome {
    bool removed = false;
    const ProfilerStatus status = ApiCall::Run([&] { removed = FullProfiler::Get().Unlisten(id); });
    return {status == ProfilerStatus::kDone && !removed ? ProfilerStatus::kUnchanged : status, {}};
  });
}

int geckoprof_call_after_sampling(geckoprof_sampling_callback callback, void* user) {
  if (callback == nullptr) return GECKOPROF_OUT_OF_RANGE;
  return GuardedCall::Run([&]() -> ProfilerOutcome {
    bool added = false;
    const ProfilerStatus status = ApiCall::Run([&] {
      added = FullProfiler::Get().CallAfterSampling(
          [callback, user](SamplingState state) { callback(user, static_cast<uint32_t>(state)); });
    });
    if (added || status != ProfilerStatus::kDone) return {status, {}};
    const ProfilerOutcome may = FullProfiler::Get().MayControl();
    if (may.status == ProfilerStatus::kOwned) return {may.status, {}};
    return {profiler_is_active() ? ProfilerStatus::kNoThread : ProfilerStatus::kInactive, {}};
  });
}
