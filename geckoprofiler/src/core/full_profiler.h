#ifndef GECKOPROF_GECKOPROFILER_CORE_FULL_PROFILER_H_
#define GECKOPROF_GECKOPROFILER_CORE_FULL_PROFILER_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "asked_counters/asked_counters.h"
#include "capture/stack_capture.h"
#include "children/followed_children.h"
#include "core/start_request.h"
#include "core/state_listeners.h"
#include "geckoprof/handover/handover_table.h"
#include "handover/base_link.h"
#include "process_counters/own_process_counters.h"
#include "sampler/after_sampling.h"
#include "sampler/tick_sources.h"

namespace geckoprof {

// FullProfiler: owns base's recording and composes the parts of this library round it. The state of the recording is
// base's word, never a copy.
//
//            Init, or the first Start                    Shutdown, dlclose, exit
//   (base) ---------------------------> owner of base's ------------------------> (base)     the recording goes on
//
// The first Start adopts a recording that base started by itself. The parameters change and the data stay. The next
// Start replaces a recording that was started or adopted here. BaseLink::started_ns tells one recording from the other.
// A start that is known to fail is refused before anything is stopped. If a start fails later, listeners are told that
// the recording stopped.
//
// Threads: any. control_ serialises changes. It is held during calls of base, so base's calls of the owner (Tick,
// StateChanged) never take it. No function of the program is called with it held. Changes through base's API are
// reported to listeners on AfterSampling's thread, because base may hold a lock while it calls the owner.
// REQUIRES: functions that change something run inside an ApiCall. If base reports a change while this thread is in an
// ApiCall, that call made the change. Memory is allocated before anything has changed, or the next call does the work
// again.
// Context: not signal context, but for state().
// Lifetime: the library's profiler is never destroyed, because the program's static destructors may still ask it.
class FullProfiler {
 public:
  // The profiler of the base in this process.
  static FullProfiler& Get();

  explicit FullProfiler(const HandoverTable* table);
  FullProfiler(const FullProfiler&) = delete;
  FullProfiler& operator=(const FullProfiler&) = delete;

  ProfilerOutcome Init();
  ProfilerOutcome Shutdown();
  // Called before the library's code is unmapped. It acts like Shutdown, but notifies no listener, does not return as
  // the owner, and keeps the library from becoming the owner again. It enters an ApiCall by itself.
  void Unload();

  struct StartRequest {
    RecordingParameters parameters;  // `features` are the requested ones
    bool keep_same = false;          // profiler_ensure_started
  };
  // The result of a start. A refused feature does not keep it from starting.
  struct StartResult {
    ProfilerOutcome outcome;
    uint32_t features = 0;          // that are on
    uint32_t refused_features = 0;  // requested features that are not available

    explicit operator bool() const { return static_cast<bool>(outcome); }
  };
  StartResult Start(const StartRequest& request);
  ProfilerOutcome Stop();
  // `kind` is kStatePaused or kStateSamplingPaused.
  ProfilerOutcome Pause(uint32_t kind) { return SetPaused(kind, true); }
  ProfilerOutcome Resume(uint32_t kind) { return SetPaused(kind, false); }

  // Returns the reason why nothing may be changed. Either base cannot be used, or another copy owns the recording
  // (kOwned).
  ProfilerOutcome MayControl() const;

  uint32_t state() const { return base_.state(); }
  uint32_t active_features() const;  // meaningless while inactive
  const BaseLink& base() const { return base_; }
  StateListeners& listeners() { return listeners_; }
  StackCapture& stack_capture() { return stack_capture_; }
  // Adds to listeners(). They also hear of a recording that ends by itself, and of changes by another process.
  void AddListener(ProfilingStateSet states, StateCallback callback, uintptr_t unique_id);
  bool RemoveListener(uintptr_t unique_id);
  bool CallAfterSampling(SamplingCallback callback);

  // True at first. The children of this process follow its recording while this library owns it.
  void SetChildrenFollow(bool follow);
  FollowedChildren& children() { return children_; }
  AskedCounters& asked_counters() { return asked_counters_; }

  // Takes base's lock first, since a handler that forks may interrupt its holder. Then it takes the locks of this
  // library, and waits for none for long (ForkHolds). It only tries control_, because the holder may be waiting for
  // base. Returns the locks that it got.
  uint32_t BeforeFork();
  void AfterFork(bool in_child, uint32_t held);

 private:
  ProfilerOutcome BecomeOwner();
  ProfilerOutcome HandBack(int64_t timeout_ns);
  ProfilerOutcome StartOrAdopt(const RecordingParameters& wanted, bool keep_same);
  ProfilerOutcome Change(const RecordingParameters& wanted);
  StartResult StartResolved(const RecordingParameters& wanted, bool keep_same);
  ProfilerOutcome SetPaused(uint32_t kind, bool paused);
  void RefreshParameters();
  void MarkStateNotified();
  void UpdateWatch();
  void UpdateSources();
  void UpdateChildren();
  void FollowRecording();
  void LookAtChildren();
  void NotifyChanges(ProfilingStateSet states);
  void StateChanged(uint32_t state);
  ProfilingStateSet CollectChanges(uint32_t state);
  void Tick(int64_t tick_ns, bool sampled);
  void CheckChanged();
  int64_t TimeoutNs() const;
  void MarkRefusals(uint32_t refused);

  const BaseLink base_;
  StackCapture stack_capture_{base_};
  StateListeners listeners_;
  // OwnerTable::own_thread: those of AfterSampling, and of tick sources.
  std::atomic<int32_t> own_threads_[AfterSampling::kOwnThreads + TickSources::kMostThreads] = {};
  std::atomic<int64_t> own_cpu_ns_{0};  // OwnerTable::own_cpu_ns
  AfterSampling after_sampling_;
  TickSources tick_sources_{own_threads_ + AfterSampling::kOwnThreads, &own_cpu_ns_};
  OwnProcessCounters process_counters_{&tick_sources_};
  AskedCounters asked_counters_{&tick_sources_};
  FollowedChildren children_{&base_};
  const OwnerTable owner_;

  RecursiveLock control_;
  // Guarded by control_.
  bool unloading_ = false;
  bool owner_unsure_ = false;                          // in the child of a fork that came in the middle of a handover
  int64_t own_started_ns_ = -1;                        // the recording that was started or adopted here
  std::optional<RecordingParameters> own_parameters_;  // the parameters of the latest start here
  // The features that were refused in one recording, and the start of that recording. Each has one marker there, even
  // if it is requested again.
  int64_t marked_started_ns_ = -1;
  uint32_t marked_features_ = 0;

  std::atomic<bool> children_follow_{true};
  std::atomic<int64_t> children_due_ns_{0};  // of the next look; relaxed, threads of after_sampling_ alone
  // OwnerTable::obeys_others: 1 in a forked child, until its program controls the recording there.
  std::atomic<uint32_t> obeys_others_{0};

  // Written under control_. Any thread reads them, relaxed, because the answer may be out of date at once.
  std::atomic<bool> is_owner_{false};
  std::atomic<uint32_t> features_{0};
  // The state that listeners last heard of. The thread that changes it writes it, so that each change is reported once.
  std::atomic<uint32_t> notified_state_{0};
  std::atomic<int64_t> notified_started_ns_{0};
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CORE_FULL_PROFILER_H_
