#ifndef GECKOPROF_GECKOPROFILER_SAMPLER_AFTER_SAMPLING_H_
#define GECKOPROF_GECKOPROFILER_SAMPLER_AFTER_SAMPLING_H_

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

#include "geckoprofiler/profiler_state.h"
#include "sampler/tick_signal.h"

namespace geckoprof {

// What AfterSampling has to ask about the recording.
struct RecordingLook {
  uint32_t (*state)(void* context);       // bits of HandoverTable::state
  bool (*samples_stacks)(void* context);  // false under nostacksampling
  void* context;
};

// AfterSampling: calls functions of the program once, after the next tick, in the order in which they came, on a thread
// of its own: the sampler's is no place for them. The thread is made when it is first needed.
//
// Invariant: a function is called for a tick that began after Add, for the end of the recording, or for the hand-back,
// whichever comes first; never twice, never not at all (but for the child of a fork, where those of its parent are
// dropped). Functions are called without a lock: they may call whatever they like but Shutdown. What is posted with
// RunSoon goes before them.
// Threads: any. Context: not signal context, not the sampler's but for tick_signal().Tick.
class AfterSampling {
 public:
  explicit AfterSampling(const RecordingLook& look) : look_(look) {}
  AfterSampling(const AfterSampling&) = delete;
  AfterSampling& operator=(const AfterSampling&) = delete;

  TickSignal& tick_signal() { return signal_; }

  // False if no thread could be made.
  bool Add(PostSamplingCallback callback);
  // Calls `job` on the thread, as soon as may be. False if no thread could be made.
  bool RunSoon(std::function<void()> job);
  // Nothing is recorded any more: those that wait are called with JustStopped.
  void NoteStopped();
  // The same, and ends the thread; returns when it has ended. REQUIRES: not its own thread.
  void Shutdown();
  bool IsOwnThread() const;

  void BeforeFork() { mutex_.lock(); }
  void AfterFork(bool in_child);

 private:
  struct Pending {
    PostSamplingCallback callback;
    int64_t since_ns;
    bool stopped;
  };
  // Even where the look at the state is all there is, because the recording ended by itself.
  static constexpr int64_t kLookNs = 100'000'000;

  static void* ThreadMain(void* self);
  void Run();
  bool TakeReady(bool timed_out);
  bool IsReady(const Pending& pending, bool timed_out, SamplingState& state) const;
  void Sleep(uint32_t seen, bool& timed_out);
  bool StartThread();
  void StopPending();

  const RecordingLook look_;
  TickSignal signal_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::deque<Pending> pending_;
  std::deque<std::function<void()>> jobs_;
  pthread_t thread_ = {};
  bool has_thread_ = false;
  bool ending_ = false;
  // The thread's.
  std::deque<std::function<void()>> ready_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_SAMPLER_AFTER_SAMPLING_H_
