#include "sampler/after_sampling.h"

#include <signal.h>

#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/handover/handover_table.h"

namespace geckoprof {

bool AfterSampling::Add(PostSamplingCallback callback) {
  const std::lock_guard<std::mutex> holder(mutex_);
  if (!has_thread_ && !StartThread()) return false;
  pending_.push_back({std::move(callback), MonotonicNs(), false});
  signal_.Poke();
  return true;
}

bool AfterSampling::RunSoon(std::function<void()> job) {
  const std::lock_guard<std::mutex> holder(mutex_);
  if (!has_thread_ && !StartThread()) return false;
  jobs_.push_back(std::move(job));
  signal_.Poke();
  return true;
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
  const std::lock_guard<std::mutex> holder(mutex_);
  if (pending_.empty()) return;
  StopPending();
  signal_.Poke();
}

void AfterSampling::Shutdown() {
  pthread_t thread;
  {
    const std::lock_guard<std::mutex> holder(mutex_);
    if (!has_thread_) return;
    StopPending();
    ending_ = true;
    thread = thread_;
    signal_.Poke();
  }
  pthread_join(thread, nullptr);
  const std::lock_guard<std::mutex> holder(mutex_);
  has_thread_ = false;
}

bool AfterSampling::IsOwnThread() const {
  const std::lock_guard<std::mutex> holder(mutex_);
  return has_thread_ && pthread_equal(thread_, pthread_self()) != 0;
}

void AfterSampling::AfterFork(bool in_child) {
  if (in_child) {
    pending_.clear();
    jobs_.clear();
    ready_.clear();
    has_thread_ = false;
  }
  mutex_.unlock();
}

void* AfterSampling::ThreadMain(void* self) {
  static_cast<AfterSampling*>(self)->Run();
  return nullptr;
}

bool AfterSampling::IsReady(const Pending& pending, bool timed_out, SamplingState& state) const {
  const TickSignal::TickFacts tick = signal_.last();
  const uint32_t recording = look_.state(look_.context);
  if (!pending.stopped && tick.tick_ns >= pending.since_ns) {
    state = look_.samples_stacks(look_.context) ? SamplingState::SamplingCompleted
                                                : SamplingState::NoStackSamplingCompleted;
    if (!tick.sampled) state = SamplingState::SamplingPaused;
    return true;
  }
  if (pending.stopped || (recording & kStateActive) == 0) {
    state = SamplingState::JustStopped;
    return true;
  }
  // A base that sleeps while it is paused.
  state = SamplingState::SamplingPaused;
  return timed_out && (recording & (kStatePaused | kStateSamplingPaused)) != 0;
}

// Moves what may be called now to ready_. False: the thread shall end.
bool AfterSampling::TakeReady(bool timed_out) {
  const std::lock_guard<std::mutex> holder(mutex_);
  ready_.swap(jobs_);
  SamplingState state = SamplingState::JustStopped;
  while (!pending_.empty() && IsReady(pending_.front(), timed_out, state)) {
    ready_.push_back([callback = std::move(pending_.front().callback), state] { callback(state); });
    pending_.pop_front();
  }
  signal_.SetWaitedFor(!pending_.empty());
  return !(ending_ && ready_.empty());
}

void AfterSampling::Sleep(uint32_t seen, bool& timed_out) {
  const bool waits = [this] {
    const std::lock_guard<std::mutex> holder(mutex_);
    return !pending_.empty();
  }();
  const int64_t begin_ns = MonotonicNs();
  signal_.Wait(seen, waits ? kLookNs : -1);
  timed_out = MonotonicNs() - begin_ns >= kLookNs;
}

void AfterSampling::Run() {
  bool timed_out = false;
  for (;;) {
    const uint32_t seen = signal_.sequence();
    if (!TakeReady(timed_out)) return;
    timed_out = false;
    if (ready_.empty()) {
      Sleep(seen, timed_out);
      continue;
    }
    for (const auto& function : ready_) function();
    ready_.clear();
  }
}

}  // namespace geckoprof
