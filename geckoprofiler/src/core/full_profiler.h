#ifndef GECKOPROF_GECKOPROFILER_CORE_FULL_PROFILER_H_
#define GECKOPROF_GECKOPROFILER_CORE_FULL_PROFILER_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "capture/stack_capture.h"
#include "core/start_request.h"
#include "core/state_listeners.h"
#include "geckoprof/handover/handover_table.h"
#include "handover/base_link.h"
#include "sampler/after_sampling.h"

namespace geckoprof {

// FullProfiler: owns base's recording and composes the parts of this library round it. The state of the recording is
// base's word, never a copy.
//
//            Init, or the first Start                    Shutdown, dlclose, exit
//   (base) ---------------------------> owner of base's ------------------------> (base)     the recording goes on
//
// The first Start adopts a recording that base started of itself: parameters change, data stay. The next Start
// replaces a recording that was started or adopted here. BaseLink::started_ns tells one recording from the other. A
// start that is known to fail is refused before anything is stopped. If a start fails later, listeners are told that
// the recording stopped.
//
// Threads: any. control_ serialises changes. It is held while base is asked, so base's calls of the owner (Tick,
// StateChanged) never take it, and no function of the program is called with it held. Listeners are told of changes
// that base's API made on AfterSampling's thread, because base may hold a lock of its own while it calls the owner.
// REQUIRES: functions that change something run inside an ApiCall. A change that base reports while this thread is in
// an ApiCall was asked for by that call. Memory is allocated before anything has changed, or the next call does the
// work again. Context: not signal context, but for state(). Lifetime: the library's profiler is never destroyed,
// because the program's static destructors may still ask it.
class FullProfiler {
 public:
  // The profiler of the base in this process.
  static FullProfiler& Get();

  explicit FullProfiler(const HandoverTable* table);
  FullProfiler(const FullProfiler&) = delete;
  FullProfiler& operator=(const FullProfiler&) = delete;

  Outcome Init();
  Outcome Shutdown();
  // Called before the library's code is unmapped. It does what Shutdown does, but tells no listener, does not return
  // as the owner, and keeps the library from becoming the owner again. It enters an ApiCall by itself.
  void Unload();

  struct StartRequest {
    RecordingParameters parameters;  // `features` as asked for
    bool keep_same = false;          // profiler_ensure_started
  };
  // The result of a start. A refused feature does not keep it from starting.
  struct StartResult {
    Outcome outcome;
    uint32_t features = 0;          // that are on
    uint32_t refused_features = 0;  // that were asked for and cannot be had

    explicit operator bool() const { return static_cast<bool>(outcome); }
  };
  StartResult Start(const StartRequest& request);
  Outcome Stop();
  // kind: kStatePaused or kStateSamplingPaused.
  Outcome Pause(uint32_t kind) { return SetPaused(kind, true); }
  Outcome Resume(uint32_t kind) { return SetPaused(kind, false); }

  // Why nothing may be changed: no base that can be used, or kOwned: nothing of another copy's is touched.
  Outcome MayControl() const;

  uint32_t state() const { return base_.state(); }
  uint32_t active_features() const;  // meaningless while inactive
  const BaseLink& base() const { return base_; }
  StateListeners& listeners() { return listeners_; }
  StackCapture& stack_capture() { return stack_capture_; }
  // Adds to listeners(), and sees to it that they hear of a recording that ends by itself.
  void Listen(ProfilingStateSet states, StateCallback callback, uintptr_t unique_id);
  bool Unlisten(uintptr_t unique_id);
  bool CallAfterSampling(SamplingCallback callback);

  // Takes base's lock first, since a handler that forks may interrupt its holder. Then it takes the locks of this
  // library, and waits for none for long (ForkHolds). It only tries control_, whose holder may be waiting for base.
  // Returns the locks that it got.
  uint32_t BeforeFork();
  void AfterFork(bool in_child, uint32_t held);

 private:
  Outcome BecomeOwner();
  Outcome GiveBack(int64_t timeout_ns);
  Outcome StartOrAdopt(const RecordingParameters& wanted, bool keep_same);
  Outcome Change(const RecordingParameters& wanted);
  StartResult StartSettled(const RecordingParameters& wanted, bool keep_same);
  Outcome SetPaused(uint32_t kind, bool paused);
  void RefreshParameters();
  void NoteState();
  void KeepWatch();
  void Tell(ProfilingStateSet states);
  void StateChanged(uint32_t state);
  ProfilingStateSet TakeNote(uint32_t state);
  void Tick(int64_t tick_ns, bool sampled);
  void CheckEnded();
  int64_t TimeoutNs() const;
  void MarkRefusals(uint32_t refused);

  const BaseLink base_;
  StackCapture stack_capture_{base_};
  StateListeners listeners_;
  AfterSampling after_sampling_;
  const OwnerTable owner_;

  RecursiveLock control_;
  // Guarded by control_.
  bool unloading_ = false;
  bool owner_unsure_ = false;                          // in the child of a fork that came in the middle of a handover
  int64_t own_started_ns_ = -1;                        // of the recording that was started or adopted here
  std::optional<RecordingParameters> own_parameters_;  // that it was last asked for here
  // Features that were refused in one recording, with its start: each has one marker there, however often it is asked
  // for.
  int64_t marked_started_ns_ = -1;
  uint32_t marked_features_ = 0;

  // Written under control_; read by any thread, relaxed: a caller learns no more than that it is so about now.
  std::atomic<bool> is_owner_{false};
  std::atomic<uint32_t> features_{0};
  // The state that listeners were last told of. The thread that changes it writes it, so that each change is told
  // once.
  std::atomic<uint32_t> told_state_{0};
  std::atomic<int64_t> told_started_ns_{0};
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CORE_FULL_PROFILER_H_
