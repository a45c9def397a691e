// geckoprofiler/c/geckoprof_full.h.
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "baseprofiler/base_profiler_abi.h"
#include "core/full_profiler.h"
#include "core/start_request.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/sized_struct.h"
#include "geckoprof/base/thread_name.h"
#include "geckoprof/config/start_features.h"
#include "geckoprofiler/c/geckoprof_full.h"
#include "runtime/api_call.h"
#include "threads/current_thread.h"

// It is weak, because an older base does not have it.
#pragma weak geckoprof_base_set_process_name

using geckoprof::AnswerC;
using geckoprof::ApiCall;
using geckoprof::CurrentThread;
using geckoprof::FullProfiler;
using geckoprof::kStateActive;
using geckoprof::kStatePaused;
using geckoprof::kStateSamplingPaused;
using geckoprof::ProfilerOutcome;
using geckoprof::ProfilerStatus;
using geckoprof::RecordingParameters;

namespace {

using Parameters = geckoprof::SizedStruct<geckoprof_start_parameters>;
using StartOutcome = geckoprof::SizedStruct<geckoprof_start_outcome>;
constexpr uint32_t kLeastParameterBytes = offsetof(geckoprof_start_parameters, capacity_bytes);
constexpr uint32_t kLeastOutcomeBytes = offsetof(geckoprof_start_outcome, refused_features);

// The next id that this library chooses. Ids that callers choose are addresses or small numbers.
std::atomic<uint64_t> g_next_callback{uint64_t{1} << 63};

// Registers the calling thread if it is the main thread. It is called once the library is the owner.
void RegisterMainThread() {
  if (geckoprof::RawSyscall(SYS_gettid) != geckoprof::RawSyscall(SYS_getpid)) return;
  if (CurrentThread::record() == nullptr) (void)CurrentThread::Register(geckoprof::kMainThreadName.data());
}

ProfilerOutcome Init() {
  ProfilerOutcome outcome = ApiCall::Answer([] { return FullProfiler::Get().Init(); });
  if (outcome) RegisterMainThread();
  return outcome;
}

ProfilerOutcome SetPaused(uint32_t kind, bool paused) {
  return ApiCall::Answer(
      [kind, paused] { return paused ? FullProfiler::Get().Pause(kind) : FullProfiler::Get().Resume(kind); });
}

int Start(const geckoprof_start_parameters* given, bool keep_same, geckoprof_start_outcome* out) {
  geckoprof_start_parameters wanted = GECKOPROF_START_PARAMETERS;
  geckoprof_start_outcome came_to = GECKOPROF_START_OUTCOME;
  if (given != nullptr && (!Parameters::Read(given, kLeastParameterBytes, Parameters::Surplus::kMustBeZero, wanted) ||
                           wanted.reserved != 0 || (wanted.filters == nullptr && wanted.filter_count != 0))) {
    return GECKOPROF_OUT_OF_RANGE;
  }
  if (out != nullptr && !StartOutcome::Read(out, kLeastOutcomeBytes, StartOutcome::Surplus::kIgnored, came_to)) {
    return GECKOPROF_OUT_OF_RANGE;
  }
  came_to.features = came_to.refused_features = 0;
  FullProfiler::StartResult result;
  const ProfilerStatus status = ApiCall::Run([&] {
    result = FullProfiler::Get().Start({geckoprof::MakeStartRequest(wanted), keep_same});
  });
  if (status != ProfilerStatus::kDone) result = {{status, {}}, 0, 0};
  if (result.outcome) RegisterMainThread();
  came_to.features = result.features;
  came_to.refused_features = result.refused_features;
  if (out != nullptr) StartOutcome::Write(came_to, kLeastOutcomeBytes, out);
  return AnswerC(result.outcome, came_to.detail, came_to.detail_bytes);
}

// Makes a function object of a C callback and its argument. `release` is called when the last copy is destroyed, so
// exactly once.
template <typename State>
auto MakeCallback(void (*callback)(void*, uint32_t), void* user, void (*release)(void*)) {
  std::shared_ptr<void> owned(user, [release](void* argument) {
    const ApiCall::Outside outside;
    if (release != nullptr) release(argument);
  });
  return [callback, owned = std::move(owned)](State state) { callback(owned.get(), static_cast<uint32_t>(state)); };
}

}  // namespace

int geckoprof_control(uint32_t action, char* detail, size_t detail_bytes) {
  const auto answer = [&](const ProfilerOutcome& outcome) { return AnswerC(outcome, detail, detail_bytes); };
  switch (action) {
    case GECKOPROF_ACTION_INIT:
      return answer(Init());
    case GECKOPROF_ACTION_SHUTDOWN:
      return answer(ApiCall::Answer([] { return FullProfiler::Get().Shutdown(); }));
    case GECKOPROF_ACTION_STOP:
      return answer(ApiCall::Answer([] { return FullProfiler::Get().Stop(); }));
    case GECKOPROF_ACTION_PAUSE:
      return answer(SetPaused(kStatePaused, true));
    case GECKOPROF_ACTION_RESUME:
      return answer(SetPaused(kStatePaused, false));
    case GECKOPROF_ACTION_PAUSE_SAMPLING:
      return answer(SetPaused(kStateSamplingPaused, true));
    case GECKOPROF_ACTION_RESUME_SAMPLING:
      return answer(SetPaused(kStateSamplingPaused, false));
    default:
      return answer({ProfilerStatus::kBadArgument, {}});
  }
}

int geckoprof_init(void) { return geckoprof_control(GECKOPROF_ACTION_INIT, nullptr, 0); }
int geckoprof_shutdown(void) { return geckoprof_control(GECKOPROF_ACTION_SHUTDOWN, nullptr, 0); }
int geckoprof_stop(void) { return geckoprof_control(GECKOPROF_ACTION_STOP, nullptr, 0); }
int geckoprof_pause(void) { return geckoprof_control(GECKOPROF_ACTION_PAUSE, nullptr, 0); }
int geckoprof_resume(void) { return geckoprof_control(GECKOPROF_ACTION_RESUME, nullptr, 0); }
int geckoprof_pause_sampling(void) { return geckoprof_control(GECKOPROF_ACTION_PAUSE_SAMPLING, nullptr, 0); }
int geckoprof_resume_sampling(void) { return geckoprof_control(GECKOPROF_ACTION_RESUME_SAMPLING, nullptr, 0); }

int geckoprof_start(const geckoprof_start_parameters* parameters, geckoprof_start_outcome* outcome) {
  return Start(parameters, false, outcome);
}
int geckoprof_ensure_started(const geckoprof_start_parameters* parameters, geckoprof_start_outcome* outcome) {
  return Start(parameters, true, outcome);
}

int geckoprof_set_process_name(const char* name) {
  return AnswerC(ApiCall::Answer([name]() -> ProfilerOutcome {
    if (geckoprof_base_set_process_name == nullptr) return {ProfilerStatus::kOldBase, {}};
    if (ProfilerOutcome may = FullProfiler::Get().MayControl(); may.status == ProfilerStatus::kOwned) return may;
    geckoprof_base_set_process_name(name);
    return {};
  }));
}

int geckoprof_follow_children(int follow) {
  return AnswerC(ApiCall::Answer([follow]() -> ProfilerOutcome {
    FullProfiler::Get().SetChildrenFollow(follow != 0);
    return {};
  }));
}

int geckoprof_visit_child_environment(geckoprof_environment_visitor visit, void* user) {
  if (visit == nullptr) return GECKOPROF_OUT_OF_RANGE;
  std::vector<std::string> lines;
  const ProfilerStatus status = ApiCall::Run([&] { lines = FullProfiler::Get().children().Environment(); });
  for (std::string& line : lines) {
    const size_t name_bytes = line.find('=');
    line[name_bytes] = '\0';
    visit(user, line.c_str(), line.c_str() + name_bytes + 1);
  }
  return AnswerC({status, {}});
}

int geckoprof_visit_start_parameters(geckoprof_start_parameters_visitor visit, void* user) {
  if (visit == nullptr) return GECKOPROF_OUT_OF_RANGE;
  RecordingParameters found;
  std::vector<const char*> filters;
  const ProfilerOutcome outcome = ApiCall::Answer([&]() -> ProfilerOutcome {
    auto parameters = FullProfiler::Get().base().Parameters();
    if (!parameters.ok()) return parameters.error();
    found = std::move(parameters.value());
    for (const std::string& filter : found.filters) filters.push_back(filter.c_str());
    return {};
  });
  if (!outcome) return AnswerC(outcome);
  geckoprof_start_parameters shown = GECKOPROF_START_PARAMETERS;
  shown.features = found.features;
  shown.capacity_bytes = found.capacity_bytes;
  shown.interval_ns = found.interval_ns;
  shown.duration_ns = found.duration_ns;
  shown.filters = filters.data();
  shown.filter_count = static_cast<uint32_t>(filters.size());
  visit(user, &shown);
  return GECKOPROF_DONE;
}

uint32_t geckoprof_get_state(void) {
  const uint32_t state = FullProfiler::Get().state();
  return ((state & kStateActive) != 0 ? GECKOPROF_STATE_ACTIVE : 0) |
         ((state & kStatePaused) != 0 ? GECKOPROF_STATE_PAUSED | GECKOPROF_STATE_SAMPLING_PAUSED : 0) |
         ((state & kStateSamplingPaused) != 0 ? GECKOPROF_STATE_SAMPLING_PAUSED : 0);
}
uint32_t geckoprof_get_features(void) {
  FullProfiler& profiler = FullProfiler::Get();
  return (profiler.state() & kStateActive) != 0 ? profiler.active_features() : 0;
}
uint32_t geckoprof_get_available_features(void) { return geckoprof::AvailableFeatures(); }
const char* geckoprof_feature_name(uint32_t feature) { return geckoprof::FeatureName(feature); }
const char* geckoprof_feature_refusal_reason(uint32_t feature) { return geckoprof::FeatureRefusalReason(feature); }

int geckoprof_add_keyed_state_callback(uint64_t key, uint32_t states, geckoprof_state_callback callback, void* user,
                                       geckoprof_release_callback release) {
  const auto wanted = ProfilingStateSet::FromBits(states);
  if (callback == nullptr || states == 0 || wanted.bits() != states) {
    if (release != nullptr) release(user);
    return GECKOPROF_OUT_OF_RANGE;
  }
  bool owned = false;
  const ProfilerStatus status = ApiCall::Run([&] {
    owned = true;  // from here on the callback's owner calls `release`, even if memory runs out
    FullProfiler::Get().AddListener(wanted, MakeCallback<ProfilingState>(callback, user, release), key);
  });
  if (!owned && release != nullptr) release(user);
  return AnswerC({status, {}});
}

int geckoprof_add_state_callback(uint32_t states, geckoprof_state_callback callback, void* user, uint64_t* id) {
  const uint64_t key = g_next_callback.fetch_add(1, std::memory_order_relaxed);
  if (id != nullptr) *id = key;
  return geckoprof_add_keyed_state_callback(key, states, callback, user, nullptr);
}

int geckoprof_remove_state_callback(uint64_t id) {
  bool removed = false;
  const ProfilerStatus status = ApiCall::Run([&] { removed = FullProfiler::Get().RemoveListener(id); });
  return AnswerC({status == ProfilerStatus::kDone && !removed ? ProfilerStatus::kUnchanged : status, {}});
}

int geckoprof_call_after_sampling(geckoprof_sampling_callback callback, void* user) {
  if (callback == nullptr) return GECKOPROF_OUT_OF_RANGE;
  return AnswerC(ApiCall::Answer([&]() -> ProfilerOutcome {
    FullProfiler& profiler = FullProfiler::Get();
    const bool added = profiler.CallAfterSampling(
        [callback, user](SamplingState state) { callback(user, static_cast<uint32_t>(state)); });
    if (added) return {};
    const ProfilerOutcome may = profiler.MayControl();
    if (may.status == ProfilerStatus::kOwned) return {may.status, {}};
    return {(profiler.state() & kStateActive) != 0 ? ProfilerStatus::kNoThread : ProfilerStatus::kInactive, {}};
  }));
}
