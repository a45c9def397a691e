#include "runtime/fork_holds.h"

#include "geckoprof/base/clock.h"
#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {
namespace {

constexpr unsigned kBitsEach = 8;

// The locks that this thread's forks hold. The innermost fork has the lowest bits.
[[gnu::tls_model("initial-exec")]] constinit thread_local uint64_t t_held = 0;
[[gnu::tls_model("initial-exec")]] constinit thread_local int32_t t_forking = 0;

}  // namespace

bool ForkHolds::TryLockFor(RecursiveLock& lock) {
  for (const int64_t until_ns = MonotonicNs() + kPatienceNs; !lock.TryLock();) {
    if (MonotonicNs() >= until_ns) return false;
    timespec pause = {0, 100'000};
    RawSyscall(SYS_nanosleep, &pause, nullptr);
  }
  return true;
}

void ForkHolds::Push(uint32_t held) {
  NoteForkingThread();
  t_held = t_held << kBitsEach | held;
}

uint32_t ForkHolds::Pop() {
  const auto held = static_cast<uint32_t>(t_held & ((1u << kBitsEach) - 1));
  t_held >>= kBitsEach;
  return held;
}

void ForkHolds::NoteForkingThread() { t_forking = static_cast<int32_t>(RawSyscall(SYS_gettid)); }
int32_t ForkHolds::parent_thread() { return t_forking; }

}  // namespace geckoprof
