#include "core/profiler_core.h"

#include <algorithm>
#include <new>
#include <type_traits>
#include <utility>

#include "control/control_thread.h"
#include "core/process_end.h"
#include "core/wanted_parameters.h"
#include "counters/counter_sampler.h"
#include "counters/counter_table.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/config/start_features.h"
#include "labels/category_table.h"
#include "libc/loader_namespace.h"
#include "libc/real_functions.h"
#include "markers/crash_report.h"
#include "markers/early_markers.h"
#include "markers/marker_type_registry.h"
#include "markers/pending_marker_stacks.h"
#include "process/process_control.h"
#include "process/process_title.h"
#include "runtime/base_heap.h"
#include "runtime/large_storage.h"
#include "sampler/sampler.h"
#include "sampler/thread_capture.h"
#include "shutdown/shutdown_writer.h"
#include "signal/sampling_signal.h"

namespace geckoprof {

void PrepareTablesInForkedChild() {
  ForgetCaptureBuffers();
  BaseHeap::AbandonAfterFork();
  EarlyMarkers::AfterForkInChild();
  MarkerTypeRegistry::AfterForkInChild();
  PendingMarkerStacks::Get().AfterForkInChild();
  CounterTable::Get().AfterForkInChild();
  CategoryTable::Get().AfterForkInChild();
  ProcessNameOverride::Get().AfterForkInChild();
}

namespace {

// Sampling: the sampler of a recording, and its tick sources.
struct Sampling {
  explicit Sampling(const SamplerSetting& setting)
      : sampler(setting), counters(&CounterTable::Get(), setting.segment, &sampler.metadata(), &sampler.samples()) {
    sampler.AddSource(&counters);
  }

  Sampler sampler;
  CounterSampler counters;
};

alignas(Sampling) GECKOPROF_LARGE_STORAGE uint8_t g_sampling[sizeof(Sampling)];

Sampling& TheSampling() { return *std::launder(reinterpret_cast<Sampling*>(g_sampling)); }
Sampler& TheSampler() { return TheSampling().sampler; }

}  // namespace

constinit GECKOPROF_LARGE_STORAGE ProfilerCore::ParametersStorage ProfilerCore::the_parameters_;
// Base is used before constructors and after destructors, so this object needs neither.
constinit ProfilerCore ProfilerCore::the_core_{&RecordingState::Get()};
static_assert(std::is_trivially_destructible_v<ProfilerCore>);

void ProfilerCore::OnConstructor(const ProcessStart& start, const char* const* environment) {
  state_.SetStart(start);
  if (environment != nullptr) ParseStartParameters(environment, parameters_);
  parameters_.SetShutdownFolder();
  if (!parameters_.start_requested)
    state_.SetProcess(CurrentProcess());  // otherwise a filter's rules must be probed first
}

template <typename Apply>
ProfilerCore::StartResult ProfilerCore::StartWith(const Apply& apply_parameters) {
  if (!state_.IsThisProcess() || !IsGlibc() || !IsInFirstNamespace()) return StartResult::kUnprepared;
  if (!MayChange()) return StartResult::kAlreadyActive;
  NoteUse();
  RecursiveLockHolder holder(lifecycle_lock_);
  if (lifecycle_lock_.depth() > 1 || state_.IsActive()) return StartResult::kAlreadyActive;
  apply_parameters();
  return StartLocked();
}

ProfilerCore::StartResult ProfilerCore::Start(const HandoverParameters& wanted) {
  const StartResult result = StartWith([&] { ApplyWanted(wanted, parameters_); });
  if (result == StartResult::kStarted) RawThread::YieldToNewThread();  // a program that calls this goes on computing
  return result;
}

ProfilerCore::StartResult ProfilerCore::Start(const StartParameters& parameters) {
  if (&parameters == &parameters_) return StartWith([] {});  // a copy of several pages is not needed
  return StartWith([&] { parameters_ = parameters; });
}

ProfilerCore::StartResult ProfilerCore::StartWithSettings(const char* const* settings) {
  return StartWith([&] {
    const ProcessId exec_pid = parameters_.exec_pid;
    const int64_t exec_ns = parameters_.exec_ns;
    const int32_t seccomp_filters = parameters_.seccomp_filters;
    ParseStartParameters(settings, parameters_);
    parameters_.exec_pid = exec_pid;
    parameters_.exec_ns = exec_ns;
    parameters_.seccomp_filters = seccomp_filters;
    if (parameters_.leaves_out_arguments) ProcessTitle::Get().LeaveOut();
  });
}

ProfilerCore::StartResult ProfilerCore::StartLocked() {
  if (state_.pid().ToNumber() == 0) state_.SetProcess(CurrentProcess());
  if (parent_pid_.ToNumber() == 0) parent_pid_ = ParentProcess();
  thread_.WaitForEnd();          // a thread that ended by itself may not be gone yet
  state_.slots().ReclaimDead();  // threads that ended while nothing was recorded
  exit_done_ = false;
  if (parameters_.filter.ExcludesProcess(state_.pid())) return StartResult::kExcluded;
  // Its recorder, or the parent that gathered it, has ended.
  if (IsSessionGone(parameters_.session_dir)) parameters_.session_dir[0] = '\0';
  place_.Choose(parameters_.session_dir);
  pauses_.Forget();
  // Its sampler ended by itself, or StopAndWrite still reads it.
  if (Segment* const previous = segment(); previous != nullptr && previous != written_) previous->Retire();
  if (!OpenSegment()) return StartResult::kNoSegment;
  control_.Issue(SamplerControl::kRun);
  if (sampler_constructed_) TheSampling().~Sampling();
  sampler_constructed_ = StoppedForGood() = false;
  WipeStateOnFork();
  ForkSafeClock().store(0, std::memory_order_relaxed);  // until the sampler has read the clocks
  SamplingSignal::Install(&control_, &ReportCrash);
  if (!StartThread(ProfilerState::kActive)) return StartResult::kNoThread;
  return StartResult::kStarted;
}

bool ProfilerCore::OpenSegment() {
  if (place_.IsFull(parameters_.capacity_bytes)) return false;
  Segment* const segment = NewSegment();
  if (segment == nullptr || !place_.Create(*segment, parameters_.capacity_bytes, state_.pid(), parent_pid_))
    return false;
  SegmentHeader& header = segment->header();
  // The variable names a process and has the begin of its first program only.
  if (header.image == 0 && !forked_) header.exec_ns = parameters_.ExecTimeNs(state_.pid(), state_.constructor_ns());
  header.constructor_ns = state_.constructor_ns();
  // The sampler thread may never get a core, so this thread reads whose the id is.
  if (place_.is_given()) {
    header.pid_namespace = PidNamespace();
    header.process_start_ticks = ProcessStartTicks();
  }
  DescribeRecording(parameters_, header);
  ProcessTitle::Get().SetMainName(header.command_name);
  segment->Publish();
  segment->CloseFile();
  mark_.Remove();
  state_.Publish(segment);
  EarlyMarkers::CountIn(*segment);
  if (HasPersistent(PersistentState::kCategories)) CategoryTable::Get().WriteTo(*segment);
  if (HasPersistent(PersistentState::kProcessName)) ProcessNameOverride::Get().WriteTo(*segment);
  if (pauses_.kinds() != 0) pauses_.WriteTo(*segment);
  return true;
}

bool ProfilerCore::StartThread(ProfilerState state, StopReason otherwise) {
  ForkSafeFeatures().store(parameters_.requested_features, std::memory_order_relaxed);
  state_.SetState(state);
  const int result = thread_.Start(&ProfilerCore::ThreadMain, this);
  if (result == 0) return true;
  if (segment() != nullptr) segment()->header().stop_detail.store(-result, std::memory_order_relaxed);
  EndRecording(otherwise);
  return false;
}

int ProfilerCore::ThreadMain(void* self) {
  auto* const core = static_cast<ProfilerCore*>(self);
  RawThread::RequestTimeliness();
  RawThread::ChangeToRootFolder();
  if (!core->sampler_constructed_) core->AwaitBeginning();
  RawThread::UnshareDescriptors() ? core->RunSampler() : core->EndRecording(StopReason::kSystemCall);
  // Only the last thread sets the process's status. For other threads it has no effect, and asking for it takes a
  // descriptor.
  if (!core->ended_as_only_thread_) return 0;
  const uint64_t noted = core->control_.thread_exit.load(std::memory_order_relaxed);
  return noted != 0 ? static_cast<int>(noted & 0xff) : MainThreadExitStatus();
}

// Most forked children call exec at once. The wait spares them a segment and a sampler. A program that has just begun
// gets a lead of half an interval, because the sampler's first steps would delay the loader's mappings.
void ProfilerCore::AwaitBeginning() {
  control_.Await(forked_lazily_ ? state_.constructor_ns() + kNsPerMs
                                : segment()->header().created_ns + std::min(parameters_.interval_ns, kNsPerMs) / 2);
}

// Returns false if there is nothing to record, or if the next sampler thread makes the segment.
bool ProfilerCore::OpenLazily() {
  const SamplerControl::Command command = control_.command();
  if (command == SamplerControl::kLeave) return false;
  forked_lazily_ = false;
  if (command != SamplerControl::kStop && OpenSegment()) return true;
  EndRecording(command == SamplerControl::kStop ? StopReason::kAsked : StopReason::kNoMemory);
  return false;
}

void ProfilerCore::RunSampler() {
  if (forked_lazily_ && !OpenLazily()) return;
  thread_.GuardOwnStack();
  struct Outcome {
    ProfilerCore* core;
    StopReason reason;
  } outcome{this, StopReason::kNoMemory};
  const bool completed = BaseHeap::RunOrEscape(
      [](void* argument) {
        auto* const out = static_cast<Outcome*>(argument);
        ProfilerCore& core = *out->core;
        if (!core.sampler_constructed_) {
          core.sampler_constructed_ = true;
          new (g_sampling) Sampling(core.MakeSetting());
          DescribeProcess(core.parameters_, TheSampler().metadata());
        }
        out->reason = TheSampler().Run();
      },
      &outcome);
  if (!completed) sampler_constructed_ = false;  // given up in the middle; its descriptors were this thread's
  ended_as_only_thread_ = completed && outcome.reason == StopReason::kOnlyThread;
  if (outcome.reason == StopReason::kSingleThreadCall) return;  // the caller of SuspendSampler goes on
  EndRecording(outcome.reason);
}

SamplerSetting ProfilerCore::MakeSetting() {
  SamplerSetting setting = {};
  setting.segment = segment();
  setting.table = &TheCaptureTable();
  setting.control = &control_;
  setting.syscall_return = state_.syscall_return();
  setting.threads.pid = state_.pid();
  setting.threads.filter = &parameters_.filter;
  setting.threads.registry = &state_.slots().registry();
  setting.threads.main_stack = state_.MainStack();
  setting.threads.owner = &control_.owner;
  setting.threads.helper = &control_.helper;
  setting.interval_ns = parameters_.interval_ns;
  setting.duration_ns = parameters_.duration_ns;
  setting.overhead_limit = parameters_.overhead_limit;
  setting.best_clock = parameters_.best_clock;
  setting.any_stacks = (parameters_.features & kFeatureNoStackSampling) == 0;
  setting.native_stacks = setting.any_stacks && (parameters_.features & kFeatureStackWalk) != 0;
  setting.cpu = (parameters_.features & kFeatureCpu) != 0;
  setting.is_for_others = place_.is_given() && parameters_.shutdown_path[0] == '\0';
  return setting;
}

// Called on the sampler thread, or on the thread that could not start it. A forked child may have no segment.
void ProfilerCore::EndRecording(StopReason reason) {
  state_.EndEntries();
  if (segment() != nullptr) {
    SegmentHeader& header = segment()->header();
    header.heartbeat_ns.store(MonotonicNs(), std::memory_order_relaxed);
    header.stop_reason.store(static_cast<uint32_t>(reason), std::memory_order_relaxed);
    header.state.store(static_cast<uint32_t>(SegmentState::kStopped), std::memory_order_release);
  }
  ForkSafeFeatures().store(0, std::memory_order_relaxed);
  // This comes last, because a thread that sees it may start again.
  state_.SetState(ProfilerState::kInactive);
  const OwnerTable* const told = CurrentThread().ToNumber() == thread_.tid() ? state_.owner() : nullptr;
  if (told != nullptr) told->tick(told->context, MonotonicNs(), 0);
}

bool ProfilerCore::Stop() {
  // In a child that base could not prepare, the locks may be held for ever.
  if (!state_.IsActive() || !MayChange()) return false;
  RecursiveLockHolder holder(lifecycle_lock_);
  if (!StopLocked()) return false;
  RemoveOwnFiles();
  if (segment() != nullptr) segment()->Retire();
  return true;
}

bool ProfilerCore::StopLocked() {
  if (lifecycle_lock_.depth() > 1 || !state_.IsActive()) return false;
  EndThread(SamplerControl::kStop);
  if (state_.IsActive()) EndRecording(StopReason::kAsked);  // the thread had not begun
  return true;
}

bool ProfilerCore::StopAndWrite() {
  StartParameters parameters;  // another recording may begin meanwhile, with others
  bool is_own_place = false;
  {
    RecursiveLockHolder holder(lifecycle_lock_);
    if (!StopLocked()) return false;
    Segment* const recorded = segment();
    if (recorded == nullptr) return true;
    if (!WritesOwnProfile() && place_.is_given()) {
      recorded->Retire();
      return true;
    }
    written_ = recorded;
    parameters = parameters_;
    is_own_place = place_.is_own();
  }
  if (parameters.shutdown_path[0] == '\0') parameters.SetDefaultShutdown();
  const bool has_copy = WriteShutdownProfile(nullptr, {*written_, parameters, state_.pid(), is_own_place});
  RecursiveLockHolder holder(lifecycle_lock_);
  if (has_copy) place_.Remove(*written_);
  std::exchange(written_, nullptr)->Retire();
  return true;
}

bool ProfilerCore::SetPaused(PauseKind kind, bool paused) {
  if (!state_.IsActive() || !MayChange()) return false;
  RecursiveLockHolder holder(lifecycle_lock_);
  if (lifecycle_lock_.depth() > 1 || !state_.IsActive()) return false;
  const uint32_t changed = pauses_.kinds() ^ static_cast<uint32_t>(kind);
  if (((changed & static_cast<uint32_t>(kind)) != 0) != paused) return false;
  const ProfilerState to = StateUnder(changed);
  uint32_t expected = static_cast<uint32_t>(state_.state());
  // If the sampler ends by itself at this moment, its state stays.
  if (expected == static_cast<uint32_t>(ProfilerState::kInactive) ||
      !ForkSafeState().compare_exchange_strong(expected, static_cast<uint32_t>(to), std::memory_order_acq_rel))
    return false;
  pauses_.Note(changed, segment());
  control_.Issue(CommandFor(to));
  return true;
}

bool ProfilerCore::SuspendSampler() {
  // The control thread may wait for a lock that this thread holds already.
  ControlThread::Get().HoldOff(/*may_wait=*/lifecycle_lock_.depth() == 0);
  lifecycle_lock_.Lock();  // held until ResumeSampler
  if (!state_.IsActive() || !thread_.IsRunning() || CurrentProcess() != state_.pid()) return false;
  EndThread(SamplerControl::kLeave);
  return true;
}

void ProfilerCore::OpenBeforeSeparation(bool was_running) {
  if (was_running && std::exchange(forked_lazily_, false) && !OpenSegment()) EndRecording(StopReason::kNoMemory);
}

void ProfilerCore::ResumeSampler(bool was_running) {
  if (was_running && !thread_.IsRunning() && !StoppedForGood() && state_.IsActive()) {
    control_.Issue(CommandFor(state_.state()));
    StartThread(state_.state(), StopReason::kSingleThreadCall);
  }
  lifecycle_lock_.Unlock();
  ControlThread::Get().Release();
}

ProfilerCore::TaskResult ProfilerCore::RunOnSamplerThread(void (*run)(void*), void* argument, int64_t timeout_ns) {
  if (!state_.IsThisProcess() || CurrentThread().ToNumber() == thread_.tid()) return TaskResult::kWrongThread;
  RecursiveLockHolder holder(lifecycle_lock_);
  if (lifecycle_lock_.depth() > 1) return TaskResult::kWrongThread;
  const SamplerTask::Request request{run, argument};
  const int64_t deadline_ns = MonotonicNs() + timeout_ns;
  if (thread_.IsRunning()) {
    control_.boundary_task.Post(request);
    control_.Wake();
    // A sampler that ends by itself meanwhile never reaches the boundary.
    while (thread_.IsRunning() && MonotonicNs() < deadline_ns) {
      if (control_.boundary_task.Wait(kNsPerMs)) return TaskResult::kDone;
    }
    // The task is running or has run, so its end is near.
    if (!control_.boundary_task.Retract()) {
      while (!control_.boundary_task.Wait(kNsPerMs)) {
      }
      return TaskResult::kDone;
    }
    if (thread_.IsRunning()) return TaskResult::kTimeout;
  }
  run(argument);
  return TaskResult::kDone;
}

bool ProfilerCore::FlushPending(int64_t most_ns) {
  const auto settle = [](void* self) {
    if (static_cast<const ProfilerCore*>(self)->sampler_constructed_) TheSampler().CollectLast();
  };
  return RunOnSamplerThread(settle, this, most_ns) == TaskResult::kDone;
}

bool ProfilerCore::VisitParameters(void (*visit)(void* context, const StartParameters& parameters), void* context) {
  if (!MayChange()) return false;
  RecursiveLockHolder holder(lifecycle_lock_);
  if (!state_.IsActive()) return false;
  visit(context, parameters_);
  return true;
}

bool ProfilerCore::VisitParameters(void (*visit)(void* context, const HandoverParameters* parameters), void* context) {
  struct Visit {
    void (*visit)(void* context, const HandoverParameters* parameters);
    void* context;
  } asked{visit, context};
  const auto describe = [](void* argument, const StartParameters& runs) {
    const auto* const to = static_cast<const Visit*>(argument);
    const char* items[ThreadFilter::kMaxItems];
    HandoverParameters found{};
    found.size_bytes = sizeof found;
    DescribeWanted(runs, items, found);
    to->visit(to->context, &found);
  };
  return VisitParameters(describe, &asked);
}

bool ProfilerCore::Reconfigure(const HandoverParameters& wanted, int64_t timeout_ns) {
  const auto apply = [](const void* change, StartParameters& parameters) {
    ApplyWanted(*static_cast<const HandoverParameters*>(change), parameters);
    return true;
  };
  return ChangeWith(apply, &wanted, timeout_ns);
}

bool ProfilerCore::ChangeSettings(const char* const* settings, int64_t timeout_ns) {
  const auto apply = [](const void* change, StartParameters& parameters) {
    return ChangeStartParameters(static_cast<const char* const*>(change), parameters);
  };
  return ChangeWith(apply, settings, timeout_ns);
}

bool ProfilerCore::ChangeWith(ApplyChange apply, const void* change, int64_t timeout_ns) {
  struct Call {
    ProfilerCore* core;
    ApplyChange apply;
    const void* change;
    bool done;
  } call{this, apply, change, false};
  const auto run = [](void* argument) {
    auto* const asked = static_cast<Call*>(argument);
    asked->done = asked->core->state_.IsActive();
    if (asked->done) asked->core->ChangeNow(asked->apply, asked->change);
  };
  return RunOnSamplerThread(run, &call, timeout_ns) == TaskResult::kDone && call.done;
}

// Called at a tick boundary, on the sampler thread or while no sampler runs.
void ProfilerCore::ChangeNow(ApplyChange apply, const void* change) {
  const uint64_t capacity_bytes = parameters_.capacity_bytes;
  const bool restarts_duration = apply(change, parameters_);
  parameters_.capacity_bytes = std::max(parameters_.capacity_bytes, capacity_bytes);  // recorded data stays
  segment()->header().capacity_bytes = parameters_.capacity_bytes;  // as asked for; the chunk count has the real size
  segment()->Grow(parameters_.capacity_bytes);
  DescribeSettings(parameters_, segment()->header());
  ForkSafeFeatures().store(parameters_.requested_features, std::memory_order_relaxed);
  if (!sampler_constructed_) return;
  TheSampler().Change(MakeSetting(), restarts_duration);
  DescribeFilters(parameters_, TheSampler().metadata());
}

const char* ProfilerCore::ChildrenFolder(const char* folder) {
  if (!MayChange()) return "";
  NoteUse();
  RecursiveLockHolder holder(lifecycle_lock_);
  // The owner's memory goes when it is unloaded.
  if (folder != nullptr) place_.SetForChildren(folder[0] != '\0' ? folder : "");
  return parameters_.session_dir[0] != '\0' ? parameters_.session_dir : place_.for_children();
}

int64_t ProfilerCore::ProcessStartNs() const {
  const int64_t exec_ns = parameters_.ExecTimeNs(CurrentProcess(), state_.constructor_ns());
  return exec_ns != 0 ? exec_ns : state_.constructor_ns();
}

ProfilerCore::LastCall ProfilerCore::BeginLastCall(StopReason reason) {
  NoteUse();
  const LastCall call{SuspendSampler(), StoppedForGood().exchange(true), state_.state()};
  CrashSignals::RemoveAll();
  if (!call.was_running) return call;
  EndRecording(reason);
  // Afterwards nothing could be written or removed any more.
  WritesOwnProfile() ? WriteOwnProfile() : RemoveOwnFiles();
  return call;
}

void ProfilerCore::EndLastCall(const LastCall& call, bool done) {
  if (!done) StoppedForGood() = call.stopped_before;
  // The call failed, so the recording goes on as if it had not ended.
  if (!done && call.was_running && segment() != nullptr) {
    SegmentHeader& header = segment()->header();
    header.stop_reason.store(static_cast<uint32_t>(StopReason::kNotStopped), std::memory_order_relaxed);
    header.state.store(static_cast<uint32_t>(SegmentState::kRecording), std::memory_order_release);
    state_.Republish();
    state_.SetState(call.state);
    CrashSignals::InstallAll(&ReportCrash);
  }
  ResumeSampler(!done && call.was_running);
}

void ProfilerCore::FitAddressSpace(uint64_t limit_bytes) {
  const bool was_running = SuspendSampler();
  if (was_running && segment() != nullptr) segment()->FitAddressSpace(limit_bytes);
  ResumeSampler(was_running);
}

void ProfilerCore::BeforeFork() {
  if (state_.HasStoppedForGood() || !WasUsed()) return;
  lifecycle_lock_.Lock();
  forking_state_ = state_.state();
  const bool is_marked = forking_state_ == ProfilerState::kInactive || mark_.CountFork();
  if (!is_marked && segment() != nullptr) segment()->CountDrop(DropReason::kUnmarkedChild);
  control_.busy_forking_tid.store(CurrentThread().ToNumber(), std::memory_order_relaxed);
}

void ProfilerCore::AfterForkInParent() {
  // BeforeFork did not take the lock if another thread was about to install a filter or to use base for the first time.
  if (state_.HasStoppedForGood() || !WasUsed() || lifecycle_lock_.depth() == 0) return;
  control_.busy_forking_tid.store(0, std::memory_order_relaxed);
  lifecycle_lock_.Unlock();
}

void ProfilerCore::AfterForkInChild() {
  if (state_.HasStoppedForGood()) return;
  if (!WasUsed()) return NoteForked();
  int32_t parent_thread = control_.busy_forking_tid.load(std::memory_order_relaxed);
  if (parent_thread == 0) parent_thread = -1;  // another thread began to use base since BeforeFork, so nothing is held
  lifecycle_lock_.AdoptInForkedChild(parent_thread);
  if (lifecycle_lock_.depth() == 0) lifecycle_lock_.Lock();
  state_.owner_link().AfterForkInChild(parent_thread);
  ThreadCapture::AfterForkInChild(parent_thread);
  control_.boundary_task.ForgetAfterFork();
  SamplingSignal::AfterForkInChild(parent_thread);
  ForgetParent();
  if (GoesOnAfterFork()) {
    StoppedForGood() = false;
    forked_lazily_ = true;
    control_.Issue(CommandFor(forking_state_));
    mark_.Create(place_.MarkDirectory(), state_.pid(), parent_pid_, state_.constructor_ns());
    StartThread(forking_state_);
  }
  lifecycle_lock_.Unlock();
}

// Without a session directory nothing would read the child's recording. The parent's profile has only the parent.
bool ProfilerCore::GoesOnAfterFork() {
  if (forking_state_ == ProfilerState::kInactive) return false;
  if (place_.is_given()) return true;
  if (place_.for_children()[0] == '\0') return false;
  TextBuilder(parameters_.session_dir).Text(place_.for_children());
  place_.Choose(parameters_.session_dir);
  return true;
}

// Notes that this process is a forked child, which begins now.
void ProfilerCore::NoteForked() {
  parent_pid_ = state_.pid();
  state_.BecomeForkedChild(KernelMonotonicNs());
  ControlThread::Get().AfterForkInChild();
  forked_ = true;
}

// Drops the parent's state, which this forked child does not have.
void ProfilerCore::ForgetParent() {
  control_.sending.store(0, std::memory_order_relaxed);  // their threads are not here
  control_.busy_forking_tid.store(0, std::memory_order_relaxed);
  mark_.Forget();
  NoteForked();
  thread_.ForgetAfterFork();
  sampler_constructed_ = false;  // never destroyed, because its descriptors are the parent's
  if (Segment* const parents = segment()) parents->ForgetAfterFork();
  state_.ForgetSegments();
  parameters_.shutdown_path[0] = '\0';  // the parent's file
  written_ = nullptr;
  state_.slots().ForgetOthers();
  pauses_.AfterForkInChild();
  PrepareTablesInForkedChild();
}

void ProfilerCore::OnExit(int status) {
  const bool is_known = segment() != nullptr || mark_.exists();
  if (!is_known || exit_done_ || state_.HasStoppedForGood() || CurrentProcess() != state_.pid()) return;
  const int64_t sampler_cpu_ns = thread_.IsRunning() ? ThreadCpuNs(ThreadId::FromNumber(thread_.tid())) : 0;
  const ProcessEnd end = ProcessEnd::Read(status, std::max<int64_t>(sampler_cpu_ns, 0));
  mark_.End(MonotonicNs(), end);
  if (segment() == nullptr) return;
  exit_done_ = true;
  DescribeEnd(end, segment()->header());
  if (WritesOwnProfile()) {
    if (SuspendSampler()) EndRecording(StopReason::kExit);
    WriteOwnProfile();
    parameters_.shutdown_path[0] = '\0';  // a destructor's recording is another one
    ResumeSampler(false);
    return;
  }
  if (state_.IsActive()) {
    // The sampler goes on to the last instruction; the process's end ends it.
    segment()->CountDrop(DropReason::kUnlistedThread, state_.slots().CountUnlisted());
    if (state_.state() == ProfilerState::kActive)
      CountMissedAtExit(*segment(), segment()->header().interval_ns, MonotonicNs());
    if (HasPendingAtExit(segment()->header().interval_ns) && !FlushPending(20 * kNsPerMs))
      CountPendingAtExit(*segment());
    segment()->header().stop_reason.store(static_cast<uint32_t>(StopReason::kExit), std::memory_order_relaxed);
    segment()->header().heartbeat_ns.store(MonotonicNs(), std::memory_order_relaxed);
  }
  RemoveOwnFiles();
}

void ProfilerCore::WriteOwnProfile() {
  if (WriteShutdownProfile(&thread_, {*segment(), parameters_, state_.pid(), place_.is_own()})) RemoveOwnFiles();
}

}  // namespace geckoprof
