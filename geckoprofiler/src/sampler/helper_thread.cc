#include "sampler/helper_thread.h"

#include <linux/close_range.h>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/futex.h"
#include "geckoprof/base/raw_syscall.h"
#include "runtime/hooks_link.h"
#include "sampler/own_cpu_time.h"

namespace geckoprof {

void HelperThread::Change(Turn turn) {
  turn_.store(turn, std::memory_order_seq_cst);
  FutexWake(turn_, 1);
}

void HelperThread::AwaitOther(Turn turn) {
  while (turn_.load(std::memory_order_seq_cst) == turn) FutexWait(turn_, turn, kNsPerSecond);
}

bool HelperThread::Start() {
  turn_.store(kIdle, std::memory_order_relaxed);
  tid_.store(kBegins, std::memory_order_relaxed);
  has_thread_ = pthread_create(&thread_, nullptr, &HelperThread::Main, this) == 0;
  if (!has_thread_) tid_.store(0, std::memory_order_relaxed);
  return has_thread_;
}

bool HelperThread::Run(void (*run)(void* argument), void* argument) {
  if (!has_thread_ && !Start()) return false;
  job_ = {run, argument, false};
  Change(kAsked);
  AwaitOther(kAsked);
  Change(kIdle);
  return job_.is_done;
}

void HelperThread::End() {
  if (!has_thread_) return;
  Change(kEnding);
  pthread_join(thread_, nullptr);
  has_thread_ = false;
}

void* HelperThread::Main(void* context) {
  auto* const self = static_cast<HelperThread*>(context);
  self->tid_.store(static_cast<int32_t>(RawSyscall(SYS_gettid)), std::memory_order_relaxed);
  HooksLink::LeaveOutThread();
  constexpr unsigned kLast = ~0u;
  const bool is_apart = !IsSyscallError(RawSyscall(SYS_close_range, 0, kLast, CLOSE_RANGE_UNSHARE));
  OwnCpuTime cpu_time(self->cpu_ns_);
  for (;;) {
    self->AwaitOther(kIdle);
    const uint32_t turn = self->turn_.load(std::memory_order_seq_cst);
    if (turn == kEnding) return nullptr;
    if (turn == kDone) {
      self->AwaitOther(kDone);
      continue;
    }
    if (is_apart) self->job_.run(self->job_.argument);
    self->job_.is_done = is_apart;
    cpu_time.Add();
    self->Change(kDone);
  }
}

}  // namespace geckoprof
