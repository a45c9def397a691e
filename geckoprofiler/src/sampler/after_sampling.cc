#include "sampler/after_sampling.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <new>
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/handover/handover_table.h"

namespace geckoprof {
namespace {

// Whose thread this is.
[[gnu::tls_model("initial-exec")]] constinit thread_local const AfterSampling* t_own = nullptr;

}  // namespace

bool AfterSampling::Add(PostSamplingCallback callback) {
  const ForkHolds::Holder holder(lock_);
  if (!has_thread_ && !StartThread()) return false;
  pending_.push_back({std::move(callback), MonotonicNs()});
  signal_.Poke();
  return true;
}

bool AfterSampling::RunSoon(std::function<void()> job) {
  const ForkHolds::Holder holder(lock_);
  if (!has_thread_ && !StartThread()) return false;
  jobs_.push_back(std::move(job));
  signal_.Poke();
  return true;
}

bool AfterSampling::Watch() {
  const ForkHolds::Holder holder(lock_);
  return has_thread_ || StartThread();
}

// With every signal blocked: none of the program's is for this thread.
bool AfterSampling::StartThread() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  ending_ = false;
  has_thread_ = pthread_create(&thread_, nullptr, &AfterSampling::ThreadMain, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
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
    if (!has_thread_) return;
    ending_ = true;
    thread = thread_;
    signal_.Poke();
  }
  pthread_join(thread, nullptr);
}

bool AfterSampling::IsOwnThread() const { return t_own == this; }

void AfterSampling::AfterFork(bool in_child, bool held) {
  if (in_child) {
    lock_.AdoptInForkedChild(ForkHolds::parent_thread());
    if (!held) {  // another thread was in the middle of a change of them
      new (&pending_) std::list<Pending>;
      new (&jobs_) Jobs;
    } else if (lock_.depth() == 1) {  // else this thread is
      pending_.clear();
      jobs_.clear();
    }
    has_thread_ = false;
    new (&shutdown_) std::mutex;  // its holder waits for a thread that is not in this process, or is not either
  }
  if (held) lock_.Unlock();
}

// Whether no thread is left but this one and base's sampler: main may have ended by pthread_exit, and the process ends
// with its last thread.
bool AfterSampling::IsAlone() const {
  DIR* const tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return false;
  int others = 0;
  while (const dirent* const task = readdir(tasks)) {
    if (task->d_name[0] == '.') continue;
    char path[sizeof("/proc/self/task//stat") + sizeof(task->d_name)];
    snprintf(path, sizeof(path), "/proc/self/task/%s/stat", task->d_name);
    char text[64] = {};
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    const ssize_t bytes = read(file, text, sizeof(text) - 1);
    close(file);
    const char* const name_end = bytes > 0 ? strrchr(text, ')') : nullptr;
    const bool is_dead = name_end != nullptr && (name_end[2] == 'Z' || name_end[2] == 'X');
    const bool has_its_name = strstr(text, "(geckoprof)") != nullptr;
    const bool is_sampler = look_.is_sampler(look_.context, atoi(task->d_name), has_its_name);
    if (!is_dead && !is_sampler) ++others;
  }
  closedir(tasks);
  return others <= 1;
}

void* AfterSampling::ThreadMain(void* self) {
  t_own = static_cast<AfterSampling*>(self);
  static_cast<AfterSampling*>(self)->Run();
  return nullptr;
}

// What it would be called with now. False: it is too early.
bool AfterSampling::SettleState(Pending& pending, bool timed_out) const {
  const TickSignal::TickFacts tick = signal_.last();
  const uint32_t recording = look_.state(look_.context);
  if (!pending.stopped && tick.tick_ns >= pending.since_ns) {
    pending.state = look_.samples_stacks(look_.context) ? SamplingState::SamplingCompleted
                                                        : SamplingState::NoStackSamplingCompleted;
    if (!tick.sampled) pending.state = SamplingState::SamplingPaused;
    return true;
  }
  if (pending.stopped || (recording & kStateActive) == 0) {
    pending.state = SamplingState::JustStopped;
    return true;
  }
  // A base that sleeps while it is paused.
  pending.state = SamplingState::SamplingPaused;
  return timed_out && (recording & (kStatePaused | kStateSamplingPaused)) != 0;
}

// Moves what may be called now to `ready`: when the thread shall end, everything.
void AfterSampling::TakeReady(bool timed_out, bool alone, Ready& ready) {
  const ForkHolds::Holder holder(lock_);
  if (alone && !ending_) pthread_detach(thread_);
  ready.is_last = ending_ || alone;
  if (ready.is_last) {
    StopPending();
    has_thread_ = false;  // whoever comes from here on makes another one
  }
  ready.jobs.swap(jobs_);
  while (!pending_.empty() && SettleState(pending_.front(), timed_out)) {
    ready.callbacks.splice(ready.callbacks.end(), pending_, pending_.begin());
  }
  signal_.SetWaitedFor(!pending_.empty());
}

bool AfterSampling::Sleep(uint32_t seen) {
  const bool waits = [this] {
    const ForkHolds::Holder holder(lock_);
    return !pending_.empty();
  }();
  const int64_t begin_ns = MonotonicNs();
  signal_.Wait(seen, waits ? kLookNs : kLookForOthersNs);
  return MonotonicNs() - begin_ns >= kLookNs;
}

void AfterSampling::Run() {
  bool timed_out = false;
  for (;;) {
    const uint32_t seen = signal_.sequence();
    look_.woken(look_.context);
    Ready ready;
    TakeReady(timed_out, timed_out && IsAlone(), ready);
    for (const auto& job : ready.jobs) job();
    for (const Pending& pending : ready.callbacks) pending.callback(pending.state);
    if (ready.is_last) return;
    timed_out = ready.jobs.empty() && ready.callbacks.empty() && Sleep(seen);
  }
}

}  // namespace geckoprof
