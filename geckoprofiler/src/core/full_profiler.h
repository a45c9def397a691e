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
// Whose recording: what base started of itself is adopted by the first Start (parameters change, data stay); what was
// started or adopted here is replaced by the next Start. BaseLink::started_ns tells one from the other. What can be
// known to fail is refused before anything is stopped, and a recording that is lost to a start that fails is told as
// stopped.
//
// Threads: any. control_ serialises what changes something. It is held while base is asked, so base's calls of the
// owner (Tick, StateChanged) never take it; and no function of the program is called with it held. Changes that base's
// API made are told to listeners on AfterSampling's thread: base may hold a lock of its own while it tells us.
// REQUIRES, of what may change something, inside of an ApiCall: what base tells of while this thread is in one was
// asked for by it. Whatever needs memory does so before anything has changed, or is done anew by the next call.
// Context: not signal context, but for state(). Lifetime: the one of the library is never destroyed: the program's
// static destructors may still ask it.
class FullProfiler {
 public:
  // Of the base in this process.
  static FullProfiler& Get();

  explicit FullProfiler(const HandoverTable* table);
  FullProfiler(const FullProfiler&) = delete;
  FullProfiler& operator=(const FullProfiler&) = delete;

  Outcome Init();
  Outcome Shutdown();
  // When the library's code goes away: as Shutdown, but nobody is told, it does not return as the owner, and nobody
  // makes it the owner again. The one that enters by itself.
  void Unload();

  struct StartRequest {
    RecordingParameters parameters;  // `features` as asked for
    bool keep_same = false;          // profiler_ensure_started
  };
  // What a start came to. A refused feature does not keep it from starting.
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

  // Takes base's lock first, since its holder may be interrupted by a handler that forks; then those of this library,
  // waiting for none for long (ForkHolds). control_ it only tries: that change may be waiting for base. What was got.
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
  // What listeners were last told of; written by whoever changed it, so that each change is told once.
  std::atomic<uint32_t> told_state_{0};
  std::atomic<int64_t> told_started_ns_{0};
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CORE_FULL_PROFILER_H_
