#include "geckoprof/base/clock.h"

#include <time.h>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {
namespace {

int64_t ToNs(const timespec& time) { return int64_t{time.tv_sec} * kNsPerSecond + time.tv_nsec; }

// The kernel's encoding of "CPU clock of thread N": the complement of the tid, per-thread (4), scheduler's clock (2).
// include/linux/posix-timers.h; glibc's pthread_getcpuclockid builds the same number.
clockid_t CpuClockOf(ThreadId thread) {
  return static_cast<clockid_t>((~static_cast<uint32_t>(thread.ToNumber()) << 3) | 4u | 2u);
}

int64_t CpuNs(clockid_t clock) {
  timespec time = {};
  const long result = RawSyscall(SYS_clock_gettime, clock, &time);
  return IsSyscallError(result) ? result : ToNs(time);
}

}  // namespace

int64_t MonotonicNs() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return ToNs(time);
}

int64_t RealtimeNs() {
  timespec time = {};
  clock_gettime(CLOCK_REALTIME, &time);
  return ToNs(time);
}

int64_t ThreadCpuNs(ThreadId thread) { return CpuNs(CpuClockOf(thread)); }

int SleepUntilNs(int64_t deadline_ns) {
  timespec deadline = {deadline_ns / kNsPerSecond, deadline_ns % kNsPerSecond};
  return static_cast<int>(RawSyscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr));
}

}  // namespace geckoprof
