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

// What AfterSampling has to ask about the recording.
struct RecordingLook {
  uint32_t (*state)(void* context);       // bits of HandoverTable::state
  bool (*samples_stacks)(void* context);  // false under nostacksampling; takes no lock of base's
  bool (*is_sampler)(void* context, int32_t tid, bool otherwise);  // BaseLink::IsSampler
  // Called on the thread whenever it woke, without a lock: the recording may have ended by itself.
  void (*woken)(void* context);
  void* context;
};

// AfterSampling: calls functions of the program once, after the next tick, in the order in which they came, on a thread
// of its own: the sampler's is no place for them. The thread is made when it is needed, and ends when nothing waits and
// nobody watches, while it has to step aside, with Shutdown, or when no other thread of the program is left: the
// process ends with its last thread.
//
// Invariant: a function is called for a tick that began after Add, for the end of the recording, or for the hand-back,
// or for the program's last thread, whichever comes first; never twice, never not at all (but for the child of a fork,
// where those of its parent are dropped). Functions are called without a lock: they may call whatever they like but
// Shutdown. What is posted with RunSoon goes before them. What comes while a Shutdown is under way is called with
// JustStopped, or on the next thread. The thread needs no memory: what waits is moved from list to list. Threads: any.
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
  // Whether the thread is wanted also while nothing waits: `woken` will be called.
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
  // Where nothing waits: how soon a process ends whose other threads have ended.
  static constexpr int64_t kLookForOthersNs = 500'000'000;
  // For a function of the program's that is just being called, when the thread has to step aside.
  static constexpr int64_t kAsidePatienceNs = 200'000'000;

  static void* ThreadMain(void* self);
  void Run();
  void TakeReady(bool timed_out, bool alone, Ready& ready);
  bool SettleState(Pending& pending, bool timed_out) const;
  // Whether it took so long that a look at the state is due.
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
  bool is_joinable_ = false;  // thread_ is or was one that nobody has joined
  bool ending_ = false;
  bool watching_ = false;
  uint32_t aside_ = 0;           // StepAsides without their StepBack
  std::atomic<int32_t> tid_{0};  // of the last thread; written by it
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_SAMPLER_AFTER_SAMPLING_H_
