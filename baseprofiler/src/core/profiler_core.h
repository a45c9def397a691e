#ifndef GECKOPROF_BASEPROFILER_CORE_PROFILER_CORE_H_
#define GECKOPROF_BASEPROFILER_CORE_PROFILER_CORE_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/recursive_lock.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/config/start_parameters.h"
#include "geckoprof/segment/segment.h"
#include "geckoprof/signal/capture_handler.h"
#include "process/process_control.h"
#include "process/session_place.h"
#include "recording/recording_state.h"
#include "sampler/raw_thread.h"
#include "sampler/sampler.h"

namespace geckoprof {

// ProfilerCore: the lifecycle of base. It owns the parts and calls them in order. It does so for start, stop and pause,
// around a fork or a call that demands a single thread, and at exit.
//
//             Start                    Pause
//   inactive ------> active -------------------> paused
//       ^              |  ^---------------------   |
//       +---- Stop ----+        Resume             |
//       +------------------- Stop -----------------+
//
// Threads: any thread calls Start, Stop, Pause, Resume, SuspendSampler and ResumeSampler, one at a time
// (lifecycle_lock_). A thread may call them in the middle of another one, as in a signal handler that calls _exit, or a
// fork inside initgroups. The inner call finds the state of that moment. Start, Stop, Pause and Resume then do nothing.
// Context: early context for OnConstructor and Start. OnExit may run in signal context, as _exit may be called there.
// Lifetime: one object in constant-initialised static memory that is never destroyed. It can be used before any
// constructor and after any destructor.
class ProfilerCore {
 public:
  static ProfilerCore& Get() { return the_core_; }

  constexpr explicit ProfilerCore(RecordingState* recording)
      : state_(*recording), control_(recording->control()), pauses_(recording->pauses()) {}

  enum class StartResult : uint8_t {
    kStarted,
    kAlreadyActive,
    kExcluded,    // the filters exclude this process
    kNoSegment,   // no memory or no space for the segment
    kNoThread,    // the sampler thread could not be created
    kUnprepared,  // a child that base was not told of (clone, _Fork, vfork), or a copy that dlmopen loaded
  };

  // Parses `environment` into parameters(). It is null if it has no variable of base.
  void OnConstructor(const ProcessStart& start, const char* const* environment);

  // Starts with the caller's parameters. Values out of range are clamped. Too many or too long filters are left out.
  StartResult Start(const HandoverParameters& wanted);
  // Starts with exactly these parameters, paths included. parameters() has the environment's.
  StartResult Start(const StartParameters& parameters);
  // Starts with settings that another process gives. They have the form of an environment (ParseStartParameters).
  StartResult StartWithSettings(const char* const* settings);
  bool Stop();
  bool Pause() { return SetPaused(PauseKind::kAll, true); }
  bool Resume() { return SetPaused(PauseKind::kAll, false); }
  // Returns false if nothing changes or if nothing is recorded.
  bool SetPaused(PauseKind kind, bool paused);

  // Ends the sampler thread, so that the process has only the program's threads. The same thread must call
  // ResumeSampler. A second caller waits. The result is for ResumeSampler and says if the sampler was running.
  bool SuspendSampler();
  // Called between the two, before a call that may separate the process from its session directory. A forked child
  // without a segment gets it now. `was_running` is the result of SuspendSampler.
  void OpenBeforeSeparation(bool was_running);
  void ResumeSampler(bool was_running);

  // Called around a call that would end the sampler for good if it succeeds, such as a seccomp filter, also while
  // nothing is recorded. EndLastCall follows on the same thread. `done` means that the call succeeded. Base then makes
  // no system call any more.
  struct LastCall {
    bool was_running = false;
    bool stopped_before = false;
    ProfilerState state = ProfilerState::kInactive;
  };
  LastCall BeginLastCall(StopReason reason);
  void EndLastCall(const LastCall& call, bool done);

  // Runs `run(argument)` while the sampler is between two ticks, or at once if no sampler runs. No start, stop or pause
  // happens meanwhile. kWrongThread means that the caller is the sampler thread, the child of a vfork, or inside a
  // start, stop or pause. kTimeout means that `run` was not called and never will be.
  enum class TaskResult : uint8_t { kDone, kTimeout, kWrongThread };
  TaskResult RunOnSamplerThread(void (*run)(void*), void* argument, int64_t timeout_ns);
  // Writes everything that threads have told the sampler or left to it into the segment. Returns false as
  // RunOnSamplerThread does.
  bool FlushPending(int64_t most_ns);

  // Ends the recording like Stop, and writes the profile to GECKOPROF_SHUTDOWN's file. Without that variable the file
  // has a name of its own in the current folder, or a recorder writes the profile of its session. The call takes as
  // long as the writing, and no other thread waits meanwhile.
  bool StopAndWrite();

  // Changes the interval, the duration, the features and the filters of the current recording, and its capacity if it
  // grows. Returns false if nothing is recorded, or if the sampler did not reach a boundary in time.
  bool Reconfigure(const HandoverParameters& wanted, int64_t timeout_ns);
  // Does the same with settings of another process (ChangeStartParameters). Values that they do not name stay.
  bool ChangeSettings(const char* const* settings, int64_t timeout_ns);

  // HandoverTable::children_folder.
  const char* ChildrenFolder(const char* folder);

  // Shows `visit` the parameters of the current recording. No other thread starts, stops or pauses meanwhile, and such
  // calls by `visit` have no effect. Returns false if nothing is recorded, and in the child of a vfork.
  bool VisitParameters(void (*visit)(void* context, const StartParameters& parameters), void* context);
  bool VisitParameters(void (*visit)(void* context, const HandoverParameters* parameters), void* context);

  // Called before the program limits its address space. Reserved and unused addresses are given back.
  void FitAddressSpace(uint64_t limit_bytes);

  // A thread that forks takes this lock before any of its own locks, because a handler that forks may interrupt the
  // holder. Returns false if the lock was not taken, because base makes no system call any more.
  bool HoldForFork() {
    if (state_.HasStoppedForGood()) return false;
    NoteUse();
    lifecycle_lock_.Lock();
    return true;
  }
  void ReleaseForFork() { lifecycle_lock_.Unlock(); }
  void BeforeFork();
  void AfterForkInParent();
  void AfterForkInChild();

  // The process ends normally, with this status: writes the profile if asked to. Idempotent.
  void OnExit(int status);

  bool IsSamplerThread(ThreadId tid) const { return tid.ToNumber() == thread_.tid(); }
  // Called when a filter may forbid any system call. Nothing is recorded any more.
  void StopForGood() { StoppedForGood().store(true, std::memory_order_relaxed); }
  // Time 0 of this process's profiles. It is the time of exec if the environment has it, and else of base's
  // constructor.
  int64_t ProcessStartNs() const;
  // The parameters of the last start, or else of the environment.
  const StartParameters& parameters() const { return parameters_; }

 private:
  Segment* segment() const { return state_.LastSegment(); }
  // Returns false on the sampler thread, for which the lock's holder may wait, and in the child of a vfork.
  bool MayChange() const { return state_.IsThisProcess() && !IsSamplerThread(CurrentThread()); }
  static SamplerControl::Command CommandFor(ProfilerState state) {
    if (state == ProfilerState::kPaused) return SamplerControl::kPause;
    return state == ProfilerState::kSamplingPaused ? SamplerControl::kPauseSampling : SamplerControl::kRun;
  }
  static ProfilerState StateUnder(uint32_t pauses) {
    if ((pauses & static_cast<uint32_t>(PauseKind::kAll)) != 0) return ProfilerState::kPaused;
    return pauses != 0 ? ProfilerState::kSamplingPaused : ProfilerState::kActive;
  }
  template <typename Apply>
  StartResult StartWith(const Apply& apply_parameters);
  StartResult StartLocked();
  bool StopLocked();
  bool OpenSegment();
  bool StartThread(ProfilerState state, StopReason otherwise = StopReason::kNoThread);
  // No handler may step aside meanwhile. The wait would then be for another sampler than the one that got the command.
  void EndThread(SamplerControl::Command command) {
    const SignalsBlocked blocked;
    control_.Issue(command);
    thread_.WaitForEnd();
  }
  SamplerSetting MakeSetting();
  // Changes parameters at a tick boundary. Returns true if the duration counts from now on.
  using ApplyChange = bool (*)(const void* change, StartParameters& parameters);
  bool ChangeWith(ApplyChange apply, const void* change, int64_t timeout_ns);
  void ChangeNow(ApplyChange apply, const void* change);
  static int ThreadMain(void* self);
  void AwaitBeginning();
  bool OpenLazily();
  void RunSampler();
  void EndRecording(StopReason reason);
  // At the end. If the own profile cannot be written, the process's files stay for `geckoprof recover`.
  bool WritesOwnProfile() const { return parameters_.shutdown_path[0] != '\0'; }
  void WriteOwnProfile();
  void RemoveOwnFiles() const {
    if (segment() != nullptr) place_.Remove(*segment());
  }
  void NoteForked();
  void ForgetParent();
  bool GoesOnAfterFork();

  RecordingState& state_;
  SamplerControl& control_;  // part of state_
  PauseLog& pauses_;         // part of state_
  ProcessId parent_pid_;     // constant after the first start, or after the fork in a child

  // lifecycle_lock_ guards these members. The sampler reads values that were set before its thread began.
  RecursiveLock lifecycle_lock_{LockRank::kLifecycle};
  RawThread thread_;
  SessionPlace place_;
  ForkRecord mark_;             // of this process, if it is a forked child without a segment
  Segment* written_ = nullptr;  // StopAndWrite reads it without the lock, and retires it afterwards
  bool exit_done_ = false;
  bool forked_ = false;  // this process is the child of a fork and not the program that exec started

  // The sampler thread owns these members while it runs. Otherwise lifecycle_lock_ guards them.
  bool sampler_constructed_ = false;
  bool ended_as_only_thread_ = false;
  bool forked_lazily_ = false;  // the sampler thread has yet to make the segment of a forked child

  ProfilerState forking_state_ = ProfilerState::kInactive;  // between BeforeFork and AfterFork, with the lock held
  // Guarded by lifecycle_lock_. They are several pages, of which a start touches few, so they lie in zeroed storage.
  // All bytes are zero until the environment or a start sets them.
  union ParametersStorage {
    constexpr ParametersStorage() : bytes{} {}
    uint8_t bytes[sizeof(StartParameters)];
    StartParameters value;
  };
  static ParametersStorage the_parameters_;
  StartParameters& parameters_ = the_parameters_.value;

  static ProfilerCore the_core_;
};

// Called in the child of a fork, on its only thread. Each table of the process forgets the parent's recording and frees
// its lock, because the holder may be a thread of the parent. The lock is a TableLock, or its user calls NoteUse before
// it takes the lock.
//
// Context: a handler of pthread_atfork.
void PrepareTablesInForkedChild();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_CORE_PROFILER_CORE_H_
