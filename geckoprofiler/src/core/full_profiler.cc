#include "core/full_profiler.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <string>
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/config/thread_filter.h"
#include "runtime/api_call.h"
#include "runtime/hooks_link.h"
#include "threads/thread_base_link.h"
#include "threads/thread_directory.h"

namespace geckoprof {
namespace {

// A tick boundary comes within an interval, and a tick of the sampler takes microseconds.
constexpr int64_t kHandoverTimeoutNs = 2 * kNsPerSecond;

void Mark(const char* name, const std::string& text) { ThreadBaseLink::Current().MarkNow(name, text.c_str()); }

bool ExcludesThisProcess(const RecordingParameters& wanted) {
  ThreadFilter filter;
  for (const std::string& item : wanted.filters) (void)filter.Add(item);
  return filter.ExcludesProcess(LibraryProcess::Current());
}

std::string CapacityText(uint64_t held_bytes, uint64_t wanted_bytes) {
  return "the buffer holds " + std::to_string(held_bytes) + " bytes, not the " + std::to_string(wanted_bytes) +
         " asked for: too little space, or a limit";
}

std::string LargerText(uint64_t held_bytes, uint64_t wanted_bytes) {
  return "the buffer stays at " + std::to_string(held_bytes) + " bytes, not the " + std::to_string(wanted_bytes) +
         " asked for: what is recorded stays";
}

// Returns a sentence about filters that base cuts, or nothing if it keeps all.
std::string FiltersText(const std::vector<std::string>& filters) {
  constexpr size_t kMostBytes = ThreadFilter::kItemBytes - 1;
  if (filters.size() > ThreadFilter::kMaxItems) {
    return "of " + std::to_string(filters.size()) + " filters the first " + std::to_string(ThreadFilter::kMaxItems) +
           " count";
  }
  const bool is_any_long =
      std::any_of(filters.begin(), filters.end(), [](const std::string& f) { return f.size() > kMostBytes; });
  return is_any_long ? "of each filter the first " + std::to_string(kMostBytes) + " bytes count" : "";
}

alignas(FullProfiler) unsigned char g_profiler[sizeof(FullProfiler)];

}  // namespace

FullProfiler& FullProfiler::Get() {
  static std::once_flag once;
  std::call_once(once, [] {
    HooksLink::Find();
    new (g_profiler) FullProfiler(BaseLink::FindTable());
  });
  return *std::launder(reinterpret_cast<FullProfiler*>(g_profiler));
}

FullProfiler::FullProfiler(const HandoverTable* table)
    : base_(table),
      after_sampling_({[](void* self) { return static_cast<FullProfiler*>(self)->state(); },
                       [](void* self) {
                         const auto& features = static_cast<FullProfiler*>(self)->features_;
                         return (features.load(std::memory_order_relaxed) & ProfilerFeature::NoStackSampling) == 0;
                       },
                       [](void* self, int32_t tid, bool otherwise) {
                         return static_cast<FullProfiler*>(self)->base_.IsSampler(tid, otherwise);
                       },
                       [](void* self) {
                         static_cast<FullProfiler*>(self)->CheckChanged();
                         static_cast<FullProfiler*>(self)->LookAtChildren();
                       },
                       [](void* self) { static_cast<FullProfiler*>(self)->base_.TickSoon(); }, this},
                      own_threads_, &own_cpu_ns_),
      owner_{sizeof(OwnerTable),
             kHandoverVersion,
             this,
             [](void* self, int64_t tick_ns, uint32_t sampled) {
               static_cast<FullProfiler*>(self)->Tick(tick_ns, sampled != 0);
             },
             [](void* self, uint32_t state) { static_cast<FullProfiler*>(self)->StateChanged(state); },
             [](void* self, uint32_t begins) {
               AfterSampling& after_sampling = static_cast<FullProfiler*>(self)->after_sampling_;
               TickSources& tick_sources = static_cast<FullProfiler*>(self)->tick_sources_;
               begins != 0 ? after_sampling.StepAside() : after_sampling.StepBack();
               begins != 0 ? tick_sources.StepAside() : tick_sources.StepBack();
             },
             own_threads_,
             own_threads_ + 1,
             &obeys_others_,
             static_cast<uint32_t>(std::size(own_threads_)),
             0,
             &own_cpu_ns_} {}

// It runs on the sampler thread.
void FullProfiler::Tick(int64_t tick_ns, bool sampled) {
  TickSignal& signal = after_sampling_.tick_signal();
  signal.Tick(tick_ns, sampled);
  if (sampled) return tick_sources_.Tick(tick_ns);
  if (base_.state() != 0) return;
  signal.Poke();  // the recording has ended by itself
  tick_sources_.NoteEnded();
}

// --- owner or not ---

int64_t FullProfiler::TimeoutNs() const {
  ParametersCopy parameters;
  return kHandoverTimeoutNs + (base_.ReadParameters(parameters) ? 2 * parameters.values.interval_ns : 0);
}

ProfilerOutcome FullProfiler::MayControl() const {
  if (base_.usable() && base_.IsOwnedByAnother(owner_)) return {ProfilerStatus::kOwned, {}};
  return base_.usable();
}

// REQUIRES: control_.
ProfilerOutcome FullProfiler::BecomeOwner() {
  obeys_others_.store(0, std::memory_order_relaxed);
  if (is_owner_.load(std::memory_order_relaxed)) return {ProfilerStatus::kUnchanged, {}};
  if (!base_.usable()) return base_.usable();
  if (unloading_) return {ProfilerStatus::kRefused, "the library is being unloaded"};
  if (owner_unsure_) base_.HandBack(owner_, TimeoutNs());
  ProfilerOutcome outcome = base_.TakeOver(owner_, TimeoutNs());
  if (outcome.status != ProfilerStatus::kDone) return outcome;
  owner_unsure_ = false;
  RefreshParameters();
  MarkStateNotified();
  is_owner_.store(true, std::memory_order_relaxed);
  UpdateWatch();
  return outcome;
}

// REQUIRES: control_.
ProfilerOutcome FullProfiler::HandBack(int64_t timeout_ns) {
  if (!is_owner_.load(std::memory_order_relaxed)) return {ProfilerStatus::kUnchanged, {}};
  ProfilerOutcome outcome = base_.HandBack(owner_, timeout_ns);
  if (!outcome) return outcome;  // still the owner
  is_owner_.store(false, std::memory_order_relaxed);
  own_started_ns_ = -1;  // base's again: the next Start adopts it
  own_parameters_.reset();
  return {};
}

ProfilerOutcome FullProfiler::Init() {
  ProfilerOutcome outcome;
  {
    const RecursiveLockHolder holder(control_);
    outcome = BecomeOwner();
  }
  if (outcome) UpdateChildren();
  return outcome;
}

ProfilerOutcome FullProfiler::Shutdown() {
  if (after_sampling_.IsOwnThread()) return {ProfilerStatus::kWrongThread, {}};
  if (!is_owner_.load(std::memory_order_relaxed)) {
    const ProfilerOutcome may = MayControl();
    return {may.status == ProfilerStatus::kOwned ? may.status : ProfilerStatus::kUnchanged, {}};
  }
  listeners_.Notify(ProfilingState::ShuttingDown);
  ProfilerOutcome outcome;
  {
    const RecursiveLockHolder holder(control_);
    outcome = HandBack(TimeoutNs());
  }
  if (!outcome) return outcome;
  children_.End(/*stops_children=*/false);
  after_sampling_.Shutdown();
  UpdateWatch();  // another thread may have become the owner meanwhile
  if (!is_owner_.load(std::memory_order_relaxed)) tick_sources_.AwaitThreads();
  return outcome;
}

void FullProfiler::Unload() {
  ApiCall::Run([this] {
    {
      const RecursiveLockHolder holder(control_);
      unloading_ = true;
      // Base must not call code that is unmapped, so this waits for a sampler that is late.
      while (HandBack(kHandoverTimeoutNs).status == ProfilerStatus::kTimeout) {
      }
    }
    if (!after_sampling_.IsOwnThread()) after_sampling_.Shutdown();
    UpdateSources();
    tick_sources_.AwaitThreads();
    children_.End(/*stops_children=*/false);
  });
}

// --- start and stop ---

// Changes the parameters of the running recording.
ProfilerOutcome FullProfiler::Change(const RecordingParameters& wanted) {
  ProfilerOutcome outcome = base_.Reconfigure(wanted);
  // The recording has not ended, but the sampler reached no tick boundary.
  if (outcome.status == ProfilerStatus::kInactive && (state() & kStateActive) != 0)
    return {ProfilerStatus::kTimeout, {}};
  return outcome;
}

// REQUIRES: control_, and being the owner.
ProfilerOutcome FullProfiler::StartOrAdopt(const RecordingParameters& wanted, bool keep_same) {
  if (ExcludesThisProcess(wanted)) return {ProfilerStatus::kExcluded, {}};
  if ((state() & kStateActive) != 0) {
    const bool ours = own_started_ns_ == base_.started_ns();
    if (ours && keep_same && own_parameters_.has_value() && own_parameters_->HasSameEffectAs(wanted)) {
      return {ProfilerStatus::kUnchanged, {}};
    }
    if (!ours) {
      ProfilerOutcome outcome = Change(wanted);
      if (outcome.status == ProfilerStatus::kOldBase) {
        return {ProfilerStatus::kUnchanged, "the recording goes on as it was: " + outcome.detail};
      }
      if (outcome.status != ProfilerStatus::kInactive) return outcome;
    }
    HooksLink::WriteSums();
    base_.Stop();
    after_sampling_.NoteStopped();
  }
  const ProfilerOutcome outcome = base_.Start(wanted);
  // Another thread has just started a recording through base's API.
  return outcome.status == ProfilerStatus::kUnchanged ? Change(wanted) : outcome;
}

FullProfiler::StartResult FullProfiler::Start(const StartRequest& request) {
  const FeatureRequest features = ResolveFeatures(request.parameters.features);
  RecordingParameters wanted = request.parameters;
  wanted.features = features.granted;
  wanted.requested_features = features.asked;
  StartResult result = StartResolved(wanted, request.keep_same);
  result.refused_features = features.refused;
  if (!result.outcome) {
    if ((state() & kStateActive) != 0) Mark("Start refused", result.outcome.Text());
    return result;
  }
  UpdateChildren();
  if (result.outcome.status == ProfilerStatus::kUnchanged) return result;
  MarkRefusals(features.refused);
  listeners_.Notify(ProfilingState::Started);
  return result;
}

// Does the whole start except for refused features and the notification of a start.
FullProfiler::StartResult FullProfiler::StartResolved(const RecordingParameters& wanted, bool keep_same) {
  StartResult result;
  std::optional<RecordingParameters> own(wanted);
  bool lost = false, goes_on = false;
  {
    const RecursiveLockHolder holder(control_);
    result.outcome = BecomeOwner();
    if (!result.outcome) return result;
    const bool was_active = (state() & kStateActive) != 0;
    const int64_t before_ns = was_active ? base_.started_ns() : -1;
    result.outcome = StartOrAdopt(wanted, keep_same);
    goes_on = before_ns > 0 && before_ns == base_.started_ns();
    RefreshParameters();
    MarkStateNotified();
    if (result.outcome) {
      own_started_ns_ = base_.started_ns();
      own_parameters_.swap(own);
    }
    lost = !result.outcome && was_active && (state() & kStateActive) == 0;
  }
  if (lost) listeners_.Notify(ProfilingState::Stopping);
  if (!result.outcome) return result;
  const uint64_t held_bytes = base_.capacity_bytes();
  if (result.outcome.status == ProfilerStatus::kDone && held_bytes != 0) {
    if (held_bytes < wanted.capacity_bytes) {
      result.outcome.detail = CapacityText(held_bytes, wanted.capacity_bytes);
      Mark("Capacity not available", result.outcome.detail);
    } else if (held_bytes > wanted.capacity_bytes && goes_on) {
      result.outcome.detail = LargerText(held_bytes, wanted.capacity_bytes);
    }
  }
  if (result.outcome.status == ProfilerStatus::kDone && result.outcome.detail.empty()) {
    result.outcome.detail = FiltersText(wanted.filters);
  }
  result.features = active_features();
  return result;
}

void FullProfiler::MarkRefusals(uint32_t refused) {
  {
    const RecursiveLockHolder holder(control_);
    if (marked_started_ns_ != base_.started_ns()) marked_features_ = 0;
    marked_started_ns_ = base_.started_ns();
    refused &= ~std::exchange(marked_features_, marked_features_ | refused);
  }
  for (uint32_t feature = 1; feature != 0; feature <<= 1) {
    if ((refused & feature) == 0) continue;
    Mark("Feature not available", std::string(FeatureName(feature)) + ": " + FeatureRefusalReason(feature));
  }
}

ProfilerOutcome FullProfiler::Stop() {
  if (ProfilerOutcome may = MayControl(); !may) return may;
  if ((state() & kStateActive) == 0) return {ProfilerStatus::kUnchanged, {}};
  listeners_.Notify(ProfilingState::Stopping);
  ProfilerOutcome outcome;
  {
    const RecursiveLockHolder holder(control_);
    obeys_others_.store(0, std::memory_order_relaxed);
    HooksLink::WriteSums();
    outcome = base_.Stop();
    own_started_ns_ = -1;
    own_parameters_.reset();
    RefreshParameters();
    MarkStateNotified();
    after_sampling_.NoteStopped();
  }
  children_.End(/*stops_children=*/true);
  UpdateWatch();
  return outcome;
}

ProfilerOutcome FullProfiler::SetPaused(uint32_t kind, bool paused) {
  if (ProfilerOutcome may = MayControl(); !may) return may;
  const uint32_t before = state();
  if ((before & kStateActive) == 0) return {ProfilerStatus::kInactive, {}};
  const bool tells = kind == kStatePaused;  // Firefox has no state for a pause of sampling alone
  if (tells && paused && (before & kStatePaused) == 0) listeners_.Notify(ProfilingState::Pausing);
  ProfilerOutcome outcome;
  {
    const RecursiveLockHolder holder(control_);
    obeys_others_.store(0, std::memory_order_relaxed);
    const uint32_t kinds = state() & (kStatePaused | kStateSamplingPaused);
    outcome = base_.SetPaused(paused ? kinds | kind : kinds & ~kind);
    MarkStateNotified();
  }
  UpdateChildren();
  if (tells && !paused && outcome.status == ProfilerStatus::kDone) listeners_.Notify(ProfilingState::Resumed);
  return outcome;
}

// --- the present state ---

void FullProfiler::RefreshParameters() {
  ParametersCopy parameters;
  if (!base_.ReadParameters(parameters)) return ThreadDirectory::StopProfiling();
  features_.store(FeaturesInForce(parameters.values), std::memory_order_relaxed);
  ThreadDirectory::StartProfiling(parameters.filter);
}

uint32_t FullProfiler::active_features() const {
  if (is_owner_.load(std::memory_order_relaxed)) return features_.load(std::memory_order_relaxed);
  ParametersCopy parameters;
  return base_.ReadParameters(parameters) ? FeaturesInForce(parameters.values) : 0;
}

void FullProfiler::MarkStateNotified() {
  notified_state_.store(state(), std::memory_order_relaxed);
  notified_started_ns_.store(base_.started_ns(), std::memory_order_relaxed);
}

// No call reports a recording that ends by itself, or that another process changes. The watch notices it for the
// listeners.
void FullProfiler::UpdateWatch() {
  const bool is_owner = is_owner_.load(std::memory_order_relaxed);
  const bool has_children = children_.is_on() && (state() & kStateActive) != 0;
  after_sampling_.SetWatch(is_owner && (has_children || !listeners_.IsEmpty()), has_children);
  UpdateSources();
}

// Tick sources work while this library owns a recording.
void FullProfiler::UpdateSources() {
  const bool is_on = is_owner_.load(std::memory_order_relaxed) && (state() & kStateActive) != 0;
  const int64_t started_ns = is_on ? std::max<int64_t>(base_.started_ns(), 1) : 0;
  if (tick_sources_.IsOn(started_ns)) return;
  tick_sources_.Update(started_ns, {is_on && children_.IsCountedByRecorder()});
}

void FullProfiler::SetChildrenFollow(bool follow) {
  children_follow_.store(follow, std::memory_order_relaxed);
  if (follow) return UpdateChildren();
  children_.End(/*stops_children=*/true);
  UpdateWatch();
}

// Makes the children follow the present recording, with the same pauses. A recording that has ended by itself keeps its
// data until the next one, and that of its children.
void FullProfiler::FollowRecording() {
  if (!children_follow_.load(std::memory_order_relaxed) || !is_owner_.load(std::memory_order_relaxed)) return;
  // A handler of the program may fork, which libc does not survive in the middle of an allocation.
  const SignalsBlocked blocked(kEveryAsynchronousSignal);
  const uint32_t now = state();
  uint64_t size_bytes = 0;
  if ((now & kStateActive) == 0) {
    if (base_.SegmentAt(0, &size_bytes) == nullptr) children_.End(/*stops_children=*/true);
    return;
  }
  const ProfilerResult<RecordingParameters> parameters = base_.Parameters();
  if (parameters.ok()) children_.Follow({base_.started_ns(), now, parameters.value()});
}

void FullProfiler::UpdateChildren() {
  FollowRecording();
  UpdateWatch();
}

// Runs on the thread of AfterSampling. Files are opened on another one, because the program's descriptors are not ours.
void FullProfiler::LookAtChildren() {
  if (!children_.is_on() || (state() & kStateActive) == 0 ||
      MonotonicNs() < children_due_ns_.load(std::memory_order_relaxed))
    return;
  const auto look = [](void* self) {
    auto* const profiler = static_cast<FullProfiler*>(self);
    const auto run = [](void* argument) {
      auto* const of = static_cast<FullProfiler*>(argument);
      const int64_t pause_ns = of->children_.Look();
      of->children_due_ns_.store(MonotonicNs() + pause_ns, std::memory_order_relaxed);
    };
    (void)RunUnlessOutOfMemory(run, profiler);
  };
  // If there is no thread or no memory for the look.
  children_due_ns_.store(MonotonicNs() + kNsPerSecond, std::memory_order_relaxed);
  (void)after_sampling_.RunApart(look, this);
}

// Notifies listeners and children of changes that were not made through this library. Listeners do not hear of a pause
// of sampling alone, so `states` may be empty. It runs on the thread of AfterSampling.
void FullProfiler::NotifyChanges(ProfilingStateSet states) {
  ApiCall::Run([&] {
    for (const ProfilingState one :
         {ProfilingState::Stopping, ProfilingState::Started, ProfilingState::Pausing, ProfilingState::Resumed}) {
      if (states.Contains(one)) listeners_.Notify(one);
    }
  });
  const auto update = [](void* self) {
    const auto run = [](void* profiler) { static_cast<FullProfiler*>(profiler)->FollowRecording(); };
    (void)RunUnlessOutOfMemory(run, self);
  };
  (void)after_sampling_.RunApart(update, this);
  UpdateWatch();
}

// Base calls it after a change through either API.
void FullProfiler::StateChanged(uint32_t state) {
  if (ApiCall::IsInside()) return;  // this thread made the change itself
  ApiCall::Run([this, state] {
    const ProfilingStateSet told = CollectChanges(state);
    if (!told.IsEmpty() || children_.is_on()) after_sampling_.Post([this, told] { NotifyChanges(told); });
  });
}

// Returns the changes that listeners have to hear of, now that the state is `state`. From here on they count as
// notified.
ProfilingStateSet FullProfiler::CollectChanges(uint32_t state) {
  RefreshParameters();
  const int64_t started_ns = base_.started_ns();
  const uint32_t before = notified_state_.exchange(state, std::memory_order_relaxed);
  const bool another = notified_started_ns_.exchange(started_ns, std::memory_order_relaxed) != started_ns;
  const bool was_active = (before & kStateActive) != 0;
  const bool is_active = (state & kStateActive) != 0;
  if (!is_active) after_sampling_.NoteStopped();
  ProfilingStateSet told;
  if (was_active && (!is_active || another)) told = told + ProfilingState::Stopping;
  if (is_active && (!was_active || another)) told = told + ProfilingState::Started;
  if (was_active && is_active && !another) {
    const bool was_paused = (before & kStatePaused) != 0, is_paused = (state & kStatePaused) != 0;
    if (is_paused && !was_paused) told = told + ProfilingState::Pausing;
    if (was_paused && !is_paused) told = told + ProfilingState::Resumed;
  }
  return told;
}

// Notices a recording that has ended by itself, for example by its duration, and a change by another process
// (`geckoprof ctl`). It runs on the thread of AfterSampling.
void FullProfiler::CheckChanged() {
  const auto has_changed = [this] {
    return is_owner_.load(std::memory_order_relaxed) && state() != notified_state_.load(std::memory_order_relaxed);
  };
  if (!has_changed()) return;
  ProfilingStateSet told;
  ApiCall::Run([&] {
    const RecursiveLockHolder holder(control_);
    if (has_changed()) told = CollectChanges(state());  // otherwise another thread has just changed it, and notifies
  });
  if (!told.IsEmpty() || children_.is_on()) NotifyChanges(told);
}

void FullProfiler::AddListener(ProfilingStateSet states, StateCallback callback, uintptr_t unique_id) {
  listeners_.Add(states, std::move(callback), unique_id, (state() & kStateActive) != 0);
  UpdateWatch();
}

bool FullProfiler::RemoveListener(uintptr_t unique_id) {
  const bool removed = listeners_.Remove(unique_id);
  UpdateWatch();
  return removed;
}

bool FullProfiler::CallAfterSampling(SamplingCallback callback) {
  if (!callback || (state() & kStateActive) == 0 || !Init()) return false;
  return after_sampling_.Add(std::move(callback));
}

uint32_t FullProfiler::BeforeFork() {
  uint32_t held = base_.HoldForFork() ? ForkHolds::kBase : 0u;
  if (control_.TryLock()) held |= ForkHolds::kControl;
  if (listeners_.BeforeFork()) held |= ForkHolds::kListeners;
  if (after_sampling_.BeforeFork()) held |= ForkHolds::kAfterSampling;
  if (stack_capture_.BeforeFork()) held |= ForkHolds::kUnwinder;
  if (tick_sources_.BeforeFork()) held |= ForkHolds::kTickSources;
  return held;
}

void FullProfiler::AfterFork(bool in_child, uint32_t held) {
  tick_sources_.AfterFork(in_child, (held & ForkHolds::kTickSources) != 0,
                          is_owner_.load(std::memory_order_relaxed) && (state() & kStateActive) != 0,
                          std::max<int64_t>(base_.started_ns(), 1));
  stack_capture_.AfterFork(in_child, (held & ForkHolds::kUnwinder) != 0);
  after_sampling_.AfterFork(in_child, (held & ForkHolds::kAfterSampling) != 0);
  listeners_.AfterFork(in_child, (held & ForkHolds::kListeners) != 0);
  if (in_child) {
    control_.AdoptInForkedChild(ForkHolds::parent_thread());
    obeys_others_.store(1, std::memory_order_relaxed);
    children_.AfterForkInChild(ForkHolds::parent_thread());
  }
  if ((held & ForkHolds::kControl) != 0) {
    control_.Unlock();
  } else if (in_child) {
    // A thread that does not exist here was in the middle of a change.
    new (&own_parameters_) std::optional<RecordingParameters>;
    own_started_ns_ = -1;
    is_owner_.store(false, std::memory_order_relaxed);
    owner_unsure_ = true;
  }
  if ((held & ForkHolds::kBase) != 0) base_.ReleaseAfterFork();
}

}  // namespace geckoprof
