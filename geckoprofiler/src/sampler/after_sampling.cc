#include "sampler/after_sampling.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <new>
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/directory.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/handover/handover_table.h"
#include "sampler/own_cpu_time.h"

namespace geckoprof {
namespace {

// The object that runs the calling thread, or null.
[[gnu::tls_model("initial-exec")]] constinit thread_local const AfterSampling* t_own = nullptr;
// Its helper.
[[gnu::tls_model("initial-exec")]] constinit thread_local HelperThread* t_helper = nullptr;

}  // namespace

bool AfterSampling::Add(SamplingCallback callback) {
  const ForkHolds::Holder holder(lock_);
  if (!has_thread_ && !StartThread()) return false;
  pending_.push_back({std::move(callback), MonotonicNs()});
  signal_.Poke();
  return true;
}

bool AfterSampling::Post(std::function<void()> job) {
  const ForkHolds::Holder holder(lock_);
  if (!has_thread_ && !StartThread()) return false;
  jobs_.push_back(std::move(job));
  signal_.Poke();
  return true;
}

void AfterSampling::SetWatch(bool watch, bool often) {
  const ForkHolds::Holder holder(lock_);
  watching_ = watch;
  watching_often_ = often;
  if (watch && !has_thread_) StartThread();
  if (has_thread_) signal_.Poke();
}

// The lock's holder has blocked every signal, so the new thread gets none of the program's signals. The function
// pthread_sigmask must not be used, because base would note a blocked signal and never learn that it is open again.
// StepBack makes the thread if it has to step aside now. REQUIRES: lock_, by a ForkHolds::Holder.
bool AfterSampling::StartThread() {
  if (aside_ > 0) return true;
  // The thread has ended or is about to.
  if (is_joinable_) IsOwnThread() ? pthread_detach(thread_) : pthread_join(thread_, nullptr);
  ending_ = false;
  tid_.store(kBegins, std::memory_order_relaxed);
  has_thread_ = pthread_create(&thread_, nullptr, &AfterSampling::ThreadMain, this) == 0;
  is_joinable_ = has_thread_;
  if (!has_thread_) tid_.store(0, std::memory_order_relaxed);
  if (has_thread_) pthread_setname_np(thread_, "AfterSampling");
  return has_thread_;
}

void AfterSampling::StopPending() {
  for (Pending& pending : pending_) pending.stopped = true;
}

void AfterSampling::NoteStopped() {
  const ForkHolds::Holder holder(lock_);
  if (pending_.empty()) return;
  StopPending();
  signal_.Poke();
}

void AfterSampling::Shutdown() {
  const std::lock_guard<std::mutex> alone(shutdown_);
  pthread_t thread;
  {
    const ForkHolds::Holder holder(lock_);
    aside_ = 0;
    watching_ = false;
    if (!has_thread_ && HasWork()) StartThread();
    if (!is_joinable_) return;
    is_joinable_ = false;
    ending_ = true;
    thread = thread_;
    signal_.Poke();
  }
  pthread_join(thread, nullptr);
}

// Joins a thread that has ended by itself. Returns false if a thread is still running.
bool AfterSampling::JoinEnded() {
  const ForkHolds::Holder holder(lock_);
  if (has_thread_) return false;
  if (!is_joinable_) return true;
  is_joinable_ = false;
  pthread_join(thread_, nullptr);
  return true;
}

void AfterSampling::StepAside() {
  if (IsOwnThread()) return;
  {
    const ForkHolds::Holder holder(lock_);
    ++aside_;
    if (has_thread_) signal_.Poke();
  }
  const auto pause = [] {
    timespec time = {0, 50'000};
    RawSyscall(SYS_nanosleep, &time, nullptr);
  };
  const int64_t until_ns = MonotonicNs() + kAsidePatienceNs;
  while (!JoinEnded()) {
    if (MonotonicNs() >= until_ns) return;
    pause();
  }
  // pthread_join returns before the kernel has removed the threads from its list.
  for (const int32_t tid : {tid_.load(std::memory_order_relaxed), helper_tid_.load(std::memory_order_relaxed)}) {
    while (tid > 0 && RawSyscall(SYS_tgkill, getpid(), tid, 0) == 0 && MonotonicNs() < until_ns) pause();
  }
}

void AfterSampling::StepBack() {
  if (IsOwnThread()) return;
  const ForkHolds::Holder holder(lock_);
  if (aside_ == 0 || --aside_ > 0) return;
  if (!has_thread_ && HasWork()) StartThread();
}

bool AfterSampling::IsOwnThread() const { return t_own == this; }

bool AfterSampling::RunApart(void (*run)(void* argument), void* argument) {
  return IsOwnThread() && t_helper->Run(run, argument);
}

void AfterSampling::AfterFork(bool in_child, bool held) {
  if (in_child) {
    lock_.AdoptInForkedChild(ForkHolds::parent_thread());
    if (!held) {  // another thread was changing the lists
      new (&pending_) std::list<Pending>;
      new (&jobs_) Jobs;
    } else if (lock_.depth() == 1) {  // otherwise this thread is changing the lists
      pending_.clear();
      jobs_.clear();
    }
    has_thread_ = is_joinable_ = false;
    aside_ = 0;
    tid_.store(0, std::memory_order_relaxed);
    helper_tid_.store(0, std::memory_order_relaxed);
    new (&shutdown_) std::mutex;  // neither its holder nor the thread that it waits for is in this process
  }
  if (held) lock_.Unlock();
}

// Returns true if a thread is there that is neither base's sampler nor one of the `own_threads` of this library.
bool AfterSampling::HasOthers(int own_threads) const {
  const Fd tasks = Fd::Open("/proc/self/task", O_RDONLY | O_DIRECTORY);
  if (!tasks.ok()) return true;
  int others = -own_threads;
  ForEachEntry(tasks, [&](const char* name) {
    const int32_t tid = NumberInName(name);
    if (others > 0 || tid == 0) return;
    char path[64], text[64] = {};
    TextBuilder(path).Text("/proc/self/task/").Number(tid).Text("/stat");
    const Fd file = Fd::Open(path, O_RDONLY);
    if (!file.ok()) return;
    const int64_t bytes = file.ReadAt(0, {reinterpret_cast<uint8_t*>(text), sizeof(text) - 1});
    const char* const name_end = bytes > 0 ? strrchr(text, ')') : nullptr;
    const bool is_dead = name_end != nullptr && (name_end[2] == 'Z' || name_end[2] == 'X');
    const bool has_its_name = strstr(text, "(geckoprof)") != nullptr;
    const bool is_sampler = queries_.is_sampler(queries_.context, tid, has_its_name);
    if (!is_dead && !is_sampler) ++others;
  });
  return others > 0;
}

// Returns true if only threads of the libraries are left. main may have ended by pthread_exit, and the process ends
// with its last thread.
bool AfterSampling::IsAlone() const {
  struct Look {
    const AfterSampling* self;
    bool has_others;
  } look{this, true};
  const auto run = [](void* argument) {
    auto* const to_do = static_cast<Look*>(argument);
    to_do->has_others = to_do->self->HasOthers(2);
  };
  if (t_helper->Run(run, &look)) return !look.has_others;
  t_helper->End();
  return !HasOthers(1);
}

void* AfterSampling::ThreadMain(void* self) {
  t_own = static_cast<AfterSampling*>(self);
  const auto tid = static_cast<int32_t>(RawSyscall(SYS_gettid));
  static_cast<AfterSampling*>(self)->tid_.store(tid, std::memory_order_relaxed);
  // A new thread may begin while this one ends, so each has a helper of its own.
  HelperThread helper(&static_cast<AfterSampling*>(self)->helper_tid_, &static_cast<AfterSampling*>(self)->own_cpu_ns_);
  t_helper = &helper;
  static_cast<AfterSampling*>(self)->Run();
  return nullptr;
}

// Sets the state that the callback would get now. Returns false if it is too early to call it.
bool AfterSampling::DecideState(Pending& pending, bool timed_out) const {
  const TickSignal::TickFacts tick = signal_.last();
  const uint32_t recording = queries_.state(queries_.context);
  if (!pending.stopped && tick.tick_ns >= pending.since_ns) {
    pending.state = queries_.samples_stacks(queries_.context) ? SamplingState::SamplingCompleted
                                                              : SamplingState::NoStackSamplingCompleted;
    if (!tick.sampled) pending.state = SamplingState::SamplingPaused;
    return true;
  }
  if (pending.stopped || (recording & kStateActive) == 0) {
    pending.state = SamplingState::JustStopped;
    return true;
  }
  // Base may sleep while it is paused, so that no tick comes.
  pending.state = SamplingState::SamplingPaused;
  return timed_out && (recording & (kStatePaused | kStateSamplingPaused)) != 0;
}

// Moves the functions that may be called now to `ready`. If the thread has to end, it moves all of them.
void AfterSampling::CollectReady(bool timed_out, bool alone, Ready& ready) {
  const ForkHolds::Holder holder(lock_);
  if (alone && is_joinable_) {
    pthread_detach(thread_);
    is_joinable_ = false;
  }
  ready.is_last = ending_ || alone;
  if (ready.is_last) {
    StopPending();
    has_thread_ = false;  // later callers make another thread
  }
  ready.jobs.swap(jobs_);
  while (!pending_.empty() && DecideState(pending_.front(), timed_out)) {
    ready.callbacks.splice(ready.callbacks.end(), pending_, pending_.begin());
  }
  if (!ready.is_last && ready.jobs.empty() && ready.callbacks.empty() && (aside_ > 0 || !HasWork())) {
    ready.is_last = true;
    has_thread_ = false;
  }
  signal_.SetWaitedFor(!pending_.empty());
}

bool AfterSampling::Sleep(uint32_t seen) {
  bool waits = false;
  int64_t poll_ns = kThreadPollNs;
  {
    const ForkHolds::Holder holder(lock_);
    waits = !pending_.empty();
    if (watching_often_) poll_ns = kOftenPollNs;
  }
  if (waits) queries_.tick_soon(queries_.context);
  const int64_t begin_ns = MonotonicNs();
  signal_.Wait(seen, waits ? kStatePollNs : poll_ns);
  return MonotonicNs() - begin_ns >= kStatePollNs;
}

void AfterSampling::Run() {
  OwnCpuTime cpu_time(&own_cpu_ns_);
  bool timed_out = false;
  int64_t alone_due_ns = MonotonicNs() + kThreadPollNs;  // of the next look for other threads
  for (;;) {
    const uint32_t seen = signal_.sequence();
    queries_.woken(queries_.context);
    Ready ready;
    const bool is_due = timed_out && MonotonicNs() >= alone_due_ns;
    if (is_due) alone_due_ns = MonotonicNs() + kThreadPollNs;
    CollectReady(timed_out, is_due && IsAlone(), ready);
    for (const auto& job : ready.jobs) job();
    for (const Pending& pending : ready.callbacks) pending.callback(pending.state);
    if (ready.is_last) return;
    cpu_time.Add();
    timed_out = ready.jobs.empty() && ready.callbacks.empty() && Sleep(seen);
  }
}

}  // namespace geckoprof
