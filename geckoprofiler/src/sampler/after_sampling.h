#ifndef GECKOPROF_GECKOPROFILER_SAMPLER_AFTER_SAMPLING_H_
#define GECKOPROF_GECKOPROFILER_SAMPLER_AFTER_SAMPLING_H_

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>

#include "geckoprof/base/recursive_lock.h"
#include "geckoprofiler/profiler_values.h"
#include "runtime/fork_holds.h"
#include "sampler/tick_signal.h"

namespace geckoprof {

using SamplingCallback = std::function<void(SamplingState)>;

// The questions that AfterSampling asks about the recording.
struct RecordingLook {
  uint32_t (*state)(void* context);       // bits of HandoverTable::state
  bool (*samples_stacks)(void* context);  // false under nostacksampling; takes no lock of base's
  bool (*is_sampler)(void* context, int32_t tid, bool otherwise);  // BaseLink::IsSampler
  // Called on the thread whenever it woke, without a lock: the recording may have ended by itself.
  void (*woken)(void* context);
  void* context;
};

// AfterSampling: calls functions of the program once, after the next tick, in the order in which they came, on a
// thread of its own. The thread is made when it is needed. It ends with Shutdown, while it has to step aside, when
// nothing waits and no watch is set, and when no other thread of the program is left, because the process ends with
// its last thread.
//
// Invariant: each function is called exactly once. The call comes after the first tick that began after Add, or at
// the end of the recording, the hand-back or the end of the program's other threads, if that is earlier. The child of
// a fork drops the functions of its parent. Functions are called without a lock, and may call all but Shutdown. Jobs
// of RunSoon go before them. Functions that come during a Shutdown are called with JustStopped, or on the next
// thread. The thread needs no memory, because it moves what waits from list to list. Threads: any.
// Context: not signal context, not the sampler's but for tick_signal().Tick.
class AfterSampling {
 public:
  explicit AfterSampling(const RecordingLook& look) : look_(look) {}
  AfterSampling(const AfterSampling&) = delete;
  AfterSampling& operator=(const AfterSampling&) = delete;

  TickSignal& tick_signal() { return signal_; }

  // False if no thread could be made.
  bool Add(SamplingCallback callback);
  // Calls `job` on the thread, as soon as may be. False if no thread could be made.
  bool RunSoon(std::function<void()> job);
  // Keeps the thread alive while nothing waits, so that `woken` is called.
  void SetWatch(bool watch);
  // Nothing is recorded any more: those that wait are called with JustStopped.
  void NoteStopped();
  // The same, and ends the thread; returns when it has ended, also where another one ends it. REQUIRES: not its own
  // thread.
  void Shutdown();
  bool IsOwnThread() const;

  // From StepAside to StepBack there is no thread, unless it is in a function of the program's that takes long: what
  // comes waits. Not for long, and not on its own thread.
  void StepAside();
  void StepBack();

  // By any thread, also in a handler that interrupted one of these functions.
  bool BeforeFork() { return ForkHolds::TryFor(lock_); }
  // `held`: what BeforeFork returned.
  void AfterFork(bool in_child, bool held);

 private:
  struct Pending {
    SamplingCallback callback;
    int64_t since_ns;
    bool stopped = false;
    SamplingState state = SamplingState::JustStopped;  // what it is called with
  };
  using Jobs = std::list<std::function<void()>>;
  struct Ready {
    Jobs jobs;
    std::list<Pending> callbacks;
    bool is_last = false;  // the thread shall end
  };
  // Even where the look at the state is all there is, because the recording ended by itself.
  static constexpr int64_t kLookNs = 100'000'000;
  // How late the process ends after its other threads, while nothing waits.
  static constexpr int64_t kLookForOthersNs = 500'000'000;
  // For a function of the program's that is just being called, when the thread has to step aside.
  static constexpr int64_t kAsidePatienceNs = 200'000'000;

  static void* ThreadMain(void* self);
  void Run();
  void TakeReady(bool timed_out, bool alone, Ready& ready);
  bool SettleState(Pending& pending, bool timed_out) const;
  // Returns true if it took so long that a look at the state is due.
  bool Sleep(uint32_t seen);
  bool StartThread();
  bool HasWork() const { return watching_ || !pending_.empty() || !jobs_.empty(); }
  bool JoinEnded();
  bool IsAlone() const;
  void StopPending();

  const RecordingLook look_;
  TickSignal signal_;
  std::mutex shutdown_;  // held until the thread has ended; never by it
  RecursiveLock lock_;
  // Guarded by lock_.
  std::list<Pending> pending_;
  Jobs jobs_;
  pthread_t thread_ = {};
  bool has_thread_ = false;
  bool is_joinable_ = false;  // thread_ is or was a thread that has not been joined
  bool ending_ = false;
  bool watching_ = false;
  uint32_t aside_ = 0;           // StepAsides without their StepBack
  std::atomic<int32_t> tid_{0};  // of the last thread; written by it
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_SAMPLER_AFTER_SAMPLING_H_
