#include "sampler/raw_thread.h"

#include <errno.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/signals_blocked.h"

namespace geckoprof {
namespace {

constexpr unsigned long kCloneFlags = CLONE_VM | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                                      CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;

}  // namespace

int RawThread::Start(Function function, void* argument) {
  if (memory_ == nullptr) {
    const long memory = RawSyscall(SYS_mmap, nullptr, kMemoryBytes, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (IsSyscallError(memory)) return -ENOMEM;
    memory_ = reinterpret_cast<uint8_t*>(memory);
  }
  // The compiler reads the stack protector's canary at a fixed place of the control block. libc reads its own thread
  // pointer there (on x86-64 at 0 and 16).
  uint8_t* const block = memory_ + kMemoryBytes - kControlBlockBytes;
  const auto self = reinterpret_cast<uintptr_t>(block);
  memcpy(block, &self, sizeof(self));
  memcpy(block + 16, &self, sizeof(self));

  // The new thread inherits a mask with every signal blocked.
  const SignalsBlocked inherited;
  uint8_t* const stack_end = block - kSpareBytes;
  const long result = geckoprof_clone_thread(kCloneFlags, stack_end, &tid_, block, function, argument);
  return IsSyscallError(result) ? static_cast<int>(result) : 0;
}

void RawThread::YieldToNewThread() { RawSyscall(SYS_sched_yield); }

void RawThread::RequestTimeliness() {
  RawSyscall(SYS_prctl, PR_SET_TIMERSLACK, 1);  // the default of 50 us would delay each wake-up
  constexpr uint64_t kShortestSliceNs = 100'000;
  Scheduling own = {};
  if (!GetScheduling(own) || (own.policy != SCHED_OTHER && own.policy != SCHED_BATCH)) return;
  own.slice_ns = kShortestSliceNs;
  if (own.nice == 0 && own.policy == SCHED_OTHER) {
    Scheduling best = own;
    best.nice = -20;
    if (!IsSyscallError(RawSyscall(SYS_sched_setattr, 0, &best, 0))) return;
  }
  RawSyscall(SYS_sched_setattr, 0, &own, 0);
}

void RawThread::ChangeToRootFolder() { RawSyscall(SYS_chdir, "/"); }

bool RawThread::GetScheduling(Scheduling& scheduling) {
  return !IsSyscallError(RawSyscall(SYS_sched_getattr, 0, &scheduling, sizeof(scheduling), 0));
}

bool RawThread::UnshareDescriptors() {
  constexpr unsigned kLast = ~0u;
  // The kernel copies only descriptors below the range, and there are none.
  if (!IsSyscallError(RawSyscall(SYS_close_range, 0, kLast, CLOSE_RANGE_UNSHARE))) return true;
  if (IsSyscallError(RawSyscall(SYS_unshare, CLONE_FILES))) return false;
  CloseDescriptorsFrom(0);
  return true;
}

void RawThread::GuardOwnStack() const { RawSyscall(SYS_mprotect, memory_, kPageBytes, PROT_NONE); }

void RawThread::WaitForEnd() {
  const uint32_t tid = tid_.load(std::memory_order_acquire);
  if (tid == 0) return;
  while (tid_.load(std::memory_order_acquire) == tid) {
    // The futex is not private, because the kernel wakes this word as a shared futex (set_tid_address(2)).
    RawSyscall(SYS_futex, &tid_, FUTEX_WAIT, tid, nullptr, nullptr, 0);
  }
  // The kernel clears the word before the thread leaves the list of threads.
  const long pid = RawSyscall(SYS_getpid);
  // A few yields are usually enough. A real-time thread yields only to its equals, so it must sleep to free the core.
  constexpr int kTurns = 20;
  constexpr int64_t kPauseNs = 50'000;
  for (int turn = 0; RawSyscall(SYS_tgkill, pid, tid, 0) == 0; ++turn) {
    if (turn < kTurns) {
      RawSyscall(SYS_sched_yield);
    } else {
      SleepUntilNs(MonotonicNs() + kPauseNs);
    }
  }
}

}  // namespace geckoprof
