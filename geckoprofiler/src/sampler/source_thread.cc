#include "sampler/source_thread.h"

#include <linux/close_range.h>
#include <unistd.h>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/futex.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/signals_blocked.h"
#include "runtime/api_call.h"
#include "runtime/hooks_link.h"
#include "sampler/own_cpu_time.h"

namespace geckoprof {
namespace {

// A crash in a function of the program is the program's, as on any other thread. The kernel would otherwise end the
// process without a call of its handler. The function pthread_sigmask must not be used, because base would note it.
void UnblockCrashSignals() {
  const KernelSignalSet crashes = ~kEveryAsynchronousSignal;
  RawSyscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &crashes, nullptr, sizeof(crashes));
}

// The object that runs the calling thread, or null.
[[gnu::tls_model("initial-exec")]] constinit thread_local const SourceThread* t_own = nullptr;

}  // namespace

void SourceThread::Assign(const Work& work, std::atomic<int32_t>* tid, std::atomic<int64_t>* cpu_ns) {
  work_ = work;
  tid_ = tid;
  cpu_ns_ = cpu_ns;
}

bool SourceThread::Start() {
  is_wanted_ = true;
  return is_held_ || Make();
}

void SourceThread::End() {
  is_wanted_ = false;
  RequestEnd();
}

void SourceThread::Hold() {
  is_held_ = true;
  RequestEnd();
}

void SourceThread::Release() {
  is_held_ = false;
  if (is_wanted_) Make();
}

bool SourceThread::Make() {
  if (is_joinable_) {
    // The thread may not have seen yet that it should end.
    uint32_t turn = kEnding;
    if (turn_.compare_exchange_strong(turn, kWoken, std::memory_order_seq_cst) || turn != kEnded) return true;
    if (!TryJoin()) return false;
  }
  turn_.store(kWoken, std::memory_order_seq_cst);
  tid_->store(kBegins, std::memory_order_relaxed);
  is_joinable_ = pthread_create(&thread_, nullptr, &SourceThread::Main, this) == 0;
  if (!is_joinable_) {
    turn_.store(kEnded, std::memory_order_relaxed);
    tid_->store(0, std::memory_order_relaxed);
    return false;
  }
  pthread_setname_np(thread_, work_.thread_name);
  return true;
}

bool SourceThread::TryJoin() {
  if (!is_joinable_) return true;
  if (turn_.load(std::memory_order_seq_cst) != kEnded) return false;
  if (IsOwn()) return false;
  pthread_join(thread_, nullptr);
  is_joinable_ = false;
  // pthread_join returns before the kernel has removed the thread from its list.
  const int32_t tid = tid_->load(std::memory_order_relaxed);
  const int64_t until_ns = MonotonicNs() + 10 * kNsPerMs;
  while (tid > 0 && RawSyscall(SYS_tgkill, getpid(), tid, 0) == 0 && MonotonicNs() < until_ns) {
    timespec time = {0, 20'000};
    RawSyscall(SYS_nanosleep, &time, nullptr);
  }
  tid_->store(0, std::memory_order_relaxed);
  return true;
}

bool SourceThread::ForgetInChild() {
  const bool was_there = is_joinable_ && turn_.load(std::memory_order_relaxed) != kEnded;
  is_held_ = false;
  if (IsOwn()) {
    tid_->store(static_cast<int32_t>(RawSyscall(SYS_gettid)), std::memory_order_relaxed);
    return false;
  }
  is_joinable_ = false;
  turn_.store(kEnded, std::memory_order_relaxed);
  tid_->store(0, std::memory_order_relaxed);
  return was_there && is_wanted_;
}

bool SourceThread::IsOwn() const { return t_own == this; }

void SourceThread::Wake() {
  uint32_t turn = kIdle;
  if (turn_.compare_exchange_strong(turn, kWoken, std::memory_order_seq_cst)) FutexWake(turn_, 1);
}

void SourceThread::RequestEnd() {
  uint32_t turn = turn_.load(std::memory_order_seq_cst);
  while (turn != kEnded && turn != kEnding) {
    if (turn_.compare_exchange_weak(turn, kEnding, std::memory_order_seq_cst)) return FutexWake(turn_, 1);
  }
}

void* SourceThread::Main(void* context) {
  auto* const self = static_cast<SourceThread*>(context);
  t_own = self;
  self->tid_->store(static_cast<int32_t>(RawSyscall(SYS_gettid)), std::memory_order_relaxed);
  self->Run();
  return nullptr;
}

void SourceThread::Run() {
  if (work_.has_own_files) HooksLink::LeaveOutThread();
  constexpr unsigned kLast = ~0u;
  const bool can_run =
      !work_.has_own_files || !IsSyscallError(RawSyscall(SYS_close_range, 0, kLast, CLOSE_RANGE_UNSHARE));
  if (!work_.has_own_files) UnblockCrashSignals();
  struct Call {
    const Work& work;
    int64_t again_ns;
  } call{work_, INT64_MAX};
  const auto run = [](void* context) {
    auto* const called = static_cast<Call*>(context);
    called->again_ns = INT64_MAX;
    called->again_ns = called->work.run(called->work.context);
  };
  OwnCpuTime cpu_time(cpu_ns_);
  for (;;) {
    uint32_t turn = turn_.load(std::memory_order_seq_cst);
    if (turn == kEnding && turn_.compare_exchange_strong(turn, kEnded, std::memory_order_seq_cst)) return;
    const bool is_due = call.again_ns != INT64_MAX && MonotonicNs() >= call.again_ns;
    const bool is_woken = turn == kWoken && turn_.compare_exchange_strong(turn, kIdle, std::memory_order_seq_cst);
    if (can_run && (is_due || is_woken)) {
      (void)RunUnlessOutOfMemory(run, &call);
      cpu_time.Add();
    } else if (call.again_ns == INT64_MAX) {
      FutexWait(turn_, kIdle, -1);
    } else {
      FutexWaitUntil(turn_, kIdle, call.again_ns);
    }
  }
}

}  // namespace geckoprof
