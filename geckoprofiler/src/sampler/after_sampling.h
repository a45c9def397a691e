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
#include "sampler/helper_thread.h"
#include "sampler/tick_signal.h"

namespace geckoprof {

using SamplingCallback = std::function<void(SamplingState)>;

// The questions that AfterSampling asks about the recording.
struct RecordingQueries {
  uint32_t (*state)(void* context);       // bits of HandoverTable::state
  bool (*samples_stacks)(void* context);  // false under nostacksampling; takes no lock of base's
  bool (*is_sampler)(void* context, int32_t tid, bool otherwise);  // BaseLink::IsSampler
  // Called without a lock whenever the thread woke. It notices a change that no call reported.
  void (*woken)(void* context);
  // Called without a lock before the thread waits for a tick.
  void (*tick_soon)(void* context);
  void* context;
};

// AfterSampling: calls functions of the program once, after the next tick, in the order in which they came, on a thread
// of its own. The thread is made when it is needed. It ends with Shutdown, and while it has to step aside. It also ends
// when nothing waits and no watch is set. When no other thread of the program is left, it ends too, because the process
// ends with its last thread.
//
// Invariant: each function is called exactly once. The call comes after the first tick that began after Add. It comes
// earlier if the recording ends, is handed back, or the program's other threads end. The child of a fork drops the
// functions of its parent. Functions are called without a lock, and may call every function except Shutdown. Jobs of
// Post come first. Functions that come during a Shutdown are called with JustStopped, or on the next thread. The thread
// needs no memory, because it moves the waiting functions from list to list.
//
// Threads: any.
// Context: not signal context, not the sampler's but for tick_signal().Tick.
class AfterSampling {
 public:
  // The words of the thread and of its helper for OwnerTable::own_thread.
  static constexpr size_t kOwnThreads = 2;

  // The thread and its helper add their CPU time to `own_cpu_ns`.
  AfterSampling(const RecordingQueries& look, std::atomic<int32_t>* own_threads, std::atomic<int64_t>* own_cpu_ns)
      : queries_(look), tid_(own_threads[0]), helper_tid_(own_threads[1]), own_cpu_ns_(*own_cpu_ns) {}
  AfterSampling(const AfterSampling&) = delete;
  AfterSampling& operator=(const AfterSampling&) = delete;

  TickSignal& tick_signal() { return signal_; }

  // False if no thread could be made.
  bool Add(SamplingCallback callback);
  // Calls `job` on the thread, as soon as may be. False if no thread could be made.
  bool Post(std::function<void()> job);
  // Keeps the thread alive while nothing waits, so that `woken` is called. It is called `often`, or two times a second.
  void SetWatch(bool watch, bool often = false);
  // Nothing is recorded any more. The waiting functions are called with JustStopped.
  void NoteStopped();
  // Does the same, ends the thread, and returns when it has ended. It also waits if another caller ends the thread.
  // REQUIRES: not on the own thread.
  void Shutdown();
  bool IsOwnThread() const;
  // Runs a function apart from the program's descriptors (HelperThread). Returns false if it was not called, as on
  // other threads than the own one.
  bool RunApart(void (*run)(void* argument), void* argument);

  // From StepAside to StepBack there is no thread, unless it is in a function of the program that takes long. New
  // functions wait until StepBack. Callers keep this time short. On the own thread both do nothing.
  void StepAside();
  void StepBack();

  // Called by any thread, also in a handler that interrupted one of these functions.
  bool BeforeFork() { return ForkHolds::TryLockFor(lock_); }
  // `held` is the result of BeforeFork.
  void AfterFork(bool in_child, bool held);

 private:
  struct Pending {
    SamplingCallback callback;
    int64_t since_ns;
    bool stopped = false;
    SamplingState state = SamplingState::JustStopped;  // the argument of the call
  };
  using Jobs = std::list<std::function<void()>>;
  struct Ready {
    Jobs jobs;
    std::list<Pending> callbacks;
    bool is_last = false;  // the thread shall end
  };
  // The interval of looks at the state. No tick reports a recording that has ended by itself.
  static constexpr int64_t kStatePollNs = 100'000'000;
  // The interval of looks for other threads, while nothing waits. The end of the process may be late by so much.
  static constexpr int64_t kThreadPollNs = 500'000'000;
  static constexpr int64_t kOftenPollNs = 250'000'000;
  // The time that a running function of the program gets when the thread has to step aside.
  static constexpr int64_t kAsidePatienceNs = 200'000'000;

  static void* ThreadMain(void* self);
  void Run();
  void CollectReady(bool timed_out, bool alone, Ready& ready);
  bool DecideState(Pending& pending, bool timed_out) const;
  // Returns true if it took so long that a look at the state is due.
  bool Sleep(uint32_t seen);
  bool StartThread();
  bool HasWork() const { return watching_ || !pending_.empty() || !jobs_.empty(); }
  bool JoinEnded();
  bool IsAlone() const;
  bool HasOthers(int own_threads) const;
  void StopPending();

  const RecordingQueries queries_;
  TickSignal signal_;
  std::atomic<int32_t>& tid_;         // of the latest thread, which writes it; kBegins: the thread is being made
  std::atomic<int32_t>& helper_tid_;  // of the latest thread's helper, which writes it
  std::atomic<int64_t>& own_cpu_ns_;  // relaxed
  std::mutex shutdown_;               // held until the thread has ended; never by it
  RecursiveLock lock_;
  // Guarded by lock_.
  std::list<Pending> pending_;
  Jobs jobs_;
  pthread_t thread_ = {};
  bool has_thread_ = false;
  bool is_joinable_ = false;  // thread_ is or was a thread that has not been joined
  bool ending_ = false;
  bool watching_ = false, watching_often_ = false;
  uint32_t aside_ = 0;  // StepAsides without their StepBack
  static constexpr int32_t kBegins = -1;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_SAMPLER_AFTER_SAMPLING_H_
