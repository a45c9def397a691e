#include "control/control_thread.h"

#include <signal.h>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/raw_syscall.h"
#include "process/process_control.h"
#include "signal/sampling_signal.h"

namespace geckoprof {

constinit ControlThread ControlThread::the_thread_{&RecordingState::Get()};

void ControlThread::Listen(void (*act)(const ControlOrder& order), bool obeys_signals) {
  act_ = act;
  SamplingSignal::Listen(
      [](ControlValue value) {
        Take({ControlOrder::Kind::kRequest, value});
      },
      state_.syscall_return());
  if (!obeys_signals) return;
  SamplingSignal::ListenToUser(
      [](int signal) { Take({signal == SIGUSR1 ? ControlOrder::Kind::kStart : ControlOrder::Kind::kStop}); });
}

// Runs in the handler. It must not wait for the thread's work, because the interrupted thread may hold any lock.
void ControlThread::Take(const ControlOrder& order) {
  ControlThread& self = Get();
  const uint32_t waits = order.kind == ControlOrder::Kind::kRequest ? 0
                         : order.kind == ControlOrder::Kind::kStart ? kStartSignal
                                                                    : kStopSignal;
  if ((self.work_.fetch_or(kTaken | waits) & kTaken) != 0) return;
  self.order_ = order;
  if (!self.MayBegin() || !self.Begin()) self.work_.store(0);
}

// The child of a vfork, or one that base was not told of, has the parent's id in this memory. A thread that has decided
// to end holds nothing, and is gone in microseconds.
bool ControlThread::MayBegin() const {
  constexpr int kTurns = 1000;
  if (holds_.load() > 0 || state_.HasStoppedForGood() || !state_.IsThisProcess()) return false;
  for (int turn = 0; thread_.IsRunning() && turn < kTurns; ++turn) RawSyscall(SYS_sched_yield);
  return !thread_.IsRunning();
}

bool ControlThread::Begin() {
  std::atomic<int32_t>& listed = state_.control().helper;
  listed.store(SamplerControl::kHelperIsMade, std::memory_order_release);
  if (thread_.Start(&ControlThread::Main, this) == 0) return true;
  listed.store(0, std::memory_order_release);
  return false;
}

int ControlThread::Main(void* self) {
  auto* const thread = static_cast<ControlThread*>(self);
  // The id stays noted until a listing shows that the thread is gone.
  thread->state_.control().helper.store(CurrentThread().ToNumber(), std::memory_order_release);
  thread->thread_.GuardOwnStack();
  if (thread->order_.kind == ControlOrder::Kind::kRequest) thread->act_(thread->order_);
  thread->ObeySignals();
  return 0;
}

// A signal that comes at the end either is seen here, or finds kTaken cleared and makes another thread.
void ControlThread::ObeySignals() {
  for (;;) {
    uint32_t nothing = kTaken;
    if (work_.compare_exchange_strong(nothing, 0)) return;
    const uint32_t waiting = work_.fetch_and(kTaken);
    if ((waiting & kStartSignal) != 0) act_({ControlOrder::Kind::kStart});
    if ((waiting & kStopSignal) != 0) act_({ControlOrder::Kind::kStop});
  }
}

void ControlThread::HoldOff(bool may_wait) {
  constexpr int64_t kLongestNs = 12 * kNsPerSecond;  // it may write a profile, for 10 s at most
  constexpr int64_t kPauseNs = 50'000;
  holds_.fetch_add(1);
  const int32_t helper = state_.control().helper.load(std::memory_order_acquire);
  if (!may_wait || (helper == 0 && work_.load() == 0)) return;  // the usual case
  const int64_t until_ns = MonotonicNs() + kLongestNs;
  while (IsThere() && MonotonicNs() < until_ns) SleepUntilNs(MonotonicNs() + kPauseNs);
}

// The kernel clears the id in `thread_` before the thread leaves the list of threads.
bool ControlThread::IsThere() const {
  if (work_.load() != 0 || thread_.IsRunning()) return true;
  const int32_t tid = state_.control().helper.load(std::memory_order_acquire);
  return tid > 0 && ThreadExists(state_.pid(), ThreadId::FromNumber(tid));
}

void ControlThread::Release() {
  if (holds_.load(std::memory_order_relaxed) > 0) holds_.fetch_sub(1);
}

void ControlThread::AfterForkInChild() {
  thread_.ForgetAfterFork();
  work_.store(0);
  state_.control().helper.store(0, std::memory_order_relaxed);
}

}  // namespace geckoprof
