#ifndef GECKOPROF_BASEPROFILER_CORE_PROFILER_CORE_H_
#define GECKOPROF_BASEPROFILER_CORE_PROFILER_CORE_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/recursive_lock.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/config/start_parameters.h"
#include "geckoprof/segment/segment.h"
#include "geckoprof/signal/capture_handler.h"
#include "process/fork_record.h"
#include "process/process_control.h"
#include "process/session_place.h"
#include "recording/recording_state.h"
#include "sampler/raw_thread.h"
#include "sampler/sampler.h"

namespace geckoprof {

// ProfilerCore: owns the parts and calls them in order: start, stop, pause, and what must happen around a fork, around
// a call that demands a single thread, and at exit.
//
//             Start                    Pause
//   inactive ------> active -------------------> paused
//       ^              |  ^---------------------   |
//       +---- Stop ----+        Resume             |
//       +------------------- Stop -----------------+
//
// Threads: Start, Stop, Pause, Resume, StepAside, StepBack: any, one at a time (lifecycle_lock_); called by a thread in
// the middle of one of them (a signal handler that calls _exit, a fork inside initgroups) they find what is there, and
// Start, Stop, Pause and Resume do nothing. Context: early context for OnConstructor and
// Start; never signal context. Lifetime: one, in constant-initialised static memory, never destroyed: usable before any
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
    kUnprepared,  // the child of a fork that nobody told us of (clone, _Fork, vfork), or a copy that dlmopen loaded
  };

  // `environment`: parsed into parameters(); null if it says nothing about us.
  void OnConstructor(const ProcessStart& start, const char* const* environment);

  // Values out of range are clamped; filters that are too many or too long are left out.
  StartResult Start(const HandoverParameters& wanted);
  // With these, paths included; parameters() for what the environment says.
  StartResult Start(const StartParameters& parameters);
  bool Stop();
  bool Pause() { return SetPaused(PauseKind::kAll, true); }
  bool Resume() { return SetPaused(PauseKind::kAll, false); }
  // False if it was so already, or nothing is recorded.
  bool SetPaused(PauseKind kind, bool paused);

  // Makes this process single-threaded as far as we are concerned, until StepBack, which must follow on the same
  // thread; a second caller waits. Returns what StepBack wants: whether the sampler was running.
  bool StepAside();
  // Between the two, before a call that may cut the process off from its session directory: a forked child that has no
  // segment yet gets it now. `was_running`: what StepAside returned.
  void OpenBeforeSeparation(bool was_running);
  void StepBack(bool was_running);

  // Around a call that the sampler would not survive if it succeeds (a seccomp filter), also while nothing is recorded:
  // EndLastCall follows on the same thread. `done`: it succeeded, and sampling has ended for good; then nothing is
  // asked of the kernel any more.
  struct LastCall {
    bool was_running = false;
    bool stopped_before = false;
    ProfilerState state = ProfilerState::kInactive;
  };
  LastCall BeginLastCall(StopReason reason);
  void EndLastCall(const LastCall& call, bool done);

  // Runs `run(argument)` while the sampler is between two ticks, or at once if none runs; meanwhile nobody starts,
  // stops or pauses. kWrongThread: the caller is the sampler thread, the child of a vfork, or in the middle of one of
  // those. kTimeout: not run, and never will be.
  enum class BoundaryResult : uint8_t { kDone, kTimeout, kWrongThread };
  BoundaryResult AtTickBoundary(void (*run)(void*), void* argument, int64_t timeout_ns);
  // What threads told the sampler so far, or left to it, is in the segment. False: as with AtTickBoundary.
  bool Settle(int64_t most_ns);

  // Makes other parameters effective in the recording that runs: interval, duration, features, filters, and the
  // capacity if it is larger than before. False if none runs, or the sampler did not come to a boundary in time.
  bool Reconfigure(const HandoverParameters& wanted, int64_t timeout_ns);

  // Shows `visit` what the recording that runs was asked for; meanwhile nobody else starts, stops or pauses, and its
  // own doing so has no effect. False if none runs, and in the child of a vfork.
  bool VisitParameters(void (*visit)(void* context, const StartParameters& parameters), void* context);

  // The program is about to limit its address space to so many bytes: what we have reserved and not used goes first.
  void FitAddressSpace(uint64_t limit_bytes);

  // Whoever forks takes this lock first, before any of its own: its holder may be interrupted by a handler that forks.
  // False: not taken, since nothing is asked of the kernel any more.
  bool HoldForFork() {
    if (state_.HasStoppedForGood()) return false;
    NoteUse();
    lifecycle_lock_.Lock();
    return true;
  }
  void LetGo() { lifecycle_lock_.Unlock(); }
  void BeforeFork();
  void AfterForkInParent();
  void AfterForkInChild();

  // The process ends normally: writes the profile if asked to. Idempotent.
  void OnExit();

  bool IsSamplerThread(ThreadId tid) const { return tid.ToNumber() == thread_.tid(); }
  // The process is under a filter that may forbid any system call: nothing is recorded any more.
  void StopForGood() { StoppedForGood().store(true, std::memory_order_relaxed); }
  // Time 0 of this process's profiles: its exec, if the environment says when that was, else base's constructor.
  int64_t ProcessStartNs() const;
  // What the last start asked for, or else the environment.
  const StartParameters& parameters() const { return parameters_; }

 private:
  Segment* segment() const { return state_.LastSegment(); }
  // False on the sampler thread, because the lock's holder may be waiting for it, and in the child of a vfork.
  bool MayChange() const { return state_.IsThisProcess() && !IsSamplerThread(CurrentThread()); }
  static SamplerControl::Command CommandFor(ProfilerState state) {
    if (state == ProfilerState::kPaused) return SamplerControl::kPause;
    return state == ProfilerState::kSamplingPaused ? SamplerControl::kPauseSampling : SamplerControl::kRun;
  }
  static ProfilerState StateUnder(uint32_t pauses) {
    if ((pauses & static_cast<uint32_t>(PauseKind::kAll)) != 0) return ProfilerState::kPaused;
    return pauses != 0 ? ProfilerState::kSamplingPaused : ProfilerState::kActive;
  }
  template <typename Take>
  StartResult StartWith(const Take& take_parameters);
  StartResult StartLocked();
  bool OpenSegment();
  bool StartThread(ProfilerState state, StopReason otherwise = StopReason::kNoThread);
  // No handler may step aside meanwhile: the wait would be for another sampler than the one that was told.
  void EndThread(SamplerControl::Command command) {
    const SignalsBlocked blocked;
    control_.Tell(command);
    thread_.WaitForEnd();
  }
  SamplerSetting MakeSetting();
  void TakeParameters(const HandoverParameters& wanted);
  static int ThreadMain(void* self);
  void AwaitBeginning();
  bool OpenLazily();
  void RunSampler();
  void EndRecording(StopReason reason);
  // At the end. Where the own profile cannot be written, the process's files stay behind for `geckoprof recover`.
  bool WritesOwnProfile() const { return parameters_.shutdown_path[0] != '\0'; }
  void WriteOwnProfile();
  void RemoveOwnFiles() const {
    if (segment() != nullptr) place_.Remove(*segment());
  }
  void NoteForked();
  void ForgetParent();

  RecordingState& state_;
  SamplerControl& control_;  // of state_
  PauseLog& pauses_;         // of state_
  ProcessId parent_pid_;     // constant after the first start, or after the fork in a child

  // Guarded by lifecycle_lock_; the sampler reads what was set before its thread began.
  RecursiveLock lifecycle_lock_{LockRank::kLifecycle};
  RawThread thread_;
  SessionPlace place_;
  ForkRecord mark_;  // this process's, if it is a forked child without a segment so far
  bool exit_done_ = false;
  bool forked_ = false;  // this process is the child of a fork, not the program that exec started

  // The sampler thread's while it runs, else guarded by lifecycle_lock_.
  bool sampler_constructed_ = false;
  bool ended_as_only_thread_ = false;
  bool forked_lazily_ = false;  // a forked child whose segment the sampler thread still has to make

  ProfilerState forking_state_ = ProfilerState::kInactive;  // between BeforeFork and AfterFork, with the lock held
  // Guarded by lifecycle_lock_. They are several pages, of which a start touches few, so they lie in zeroed storage.
  // What is asked for is all zero until the environment or a start says it.
  union ParametersStorage {
    constexpr ParametersStorage() : bytes{} {}
    uint8_t bytes[sizeof(StartParameters)];
    StartParameters value;
  };
  static ParametersStorage the_parameters_;
  StartParameters& parameters_ = the_parameters_.value;

  static ProfilerCore the_core_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_CORE_PROFILER_CORE_H_
