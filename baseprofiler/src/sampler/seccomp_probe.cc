#include "sampler/seccomp_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include <atomic>
#include <string_view>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/signals_blocked.h"
#include "sampler/raw_thread.h"
#include "sampler/status_field.h"

namespace geckoprof {
namespace {

constexpr size_t kStackBytes = 4 * kPageBytes;

constinit std::atomic<bool> g_may_use_clocks{true};

// Makes the system calls of KernelTicks.
void MakeEachCallOfClocks() {
  constexpr int kNoFile = -1;
  RawSyscall(SYS_perf_event_open, nullptr, 0, 0, kNoFile, 0);
  RawSyscall(SYS_fcntl, kNoFile, F_SETSIG, 0);
  RawSyscall(SYS_ioctl, kNoFile, 0, 0);
  constexpr clockid_t kNoClock = INT32_MAX;
  constexpr int kNoTimer = -1;
  RawSyscall(SYS_clock_getres, kNoClock, nullptr);
  RawSyscall(SYS_timer_create, kNoClock, nullptr, nullptr);
  RawSyscall(SYS_timer_settime, kNoTimer, 0, nullptr, nullptr);
  RawSyscall(SYS_timer_delete, kNoTimer);
}

// Makes each system call of the constructor, the sampler and the hooks. The arguments make the call fail or do nothing.
// A filter that checks arguments may treat the real ones differently. `argument` is a flag, which is set when the calls
// of a recording without clocks were made.
int MakeEachCall(void* argument) {
  const rlimit no_core = {0, 0};
  RawSyscall(SYS_prlimit64, 0, RLIMIT_CORE, &no_core, nullptr);
  constexpr int kNoFile = -1;
  for (const long number : {SYS_pread64, SYS_getdents64, SYS_lseek, SYS_fstat, SYS_fstatfs, SYS_fallocate,
                            SYS_ftruncate, SYS_close, SYS_read, SYS_write, SYS_pwrite64}) {
    RawSyscall(number, kNoFile, 0, 0, 0, 0, 0);
  }
  for (const long number : {SYS_openat, SYS_newfstatat, SYS_faccessat, SYS_renameat2, SYS_unlinkat, SYS_readlinkat,
                            SYS_mkdirat, SYS_symlinkat}) {
    RawSyscall(number, kNoFile, "", 0, 0, 0, 0);
  }
  for (const long number : {SYS_getpid, SYS_gettid, SYS_getppid, SYS_geteuid, SYS_sched_yield}) RawSyscall(number);
  RawSyscall(SYS_chdir, "");
  RawSyscall(SYS_mmap, nullptr, 0, 0, 0, kNoFile, 0);
  RawSyscall(SYS_munmap, nullptr, 0);
  RawSyscall(SYS_mprotect, nullptr, 0, PROT_NONE);
  RawSyscall(SYS_madvise, nullptr, 0, MADV_NORMAL);
  RawSyscall(SYS_prctl, PR_GET_DUMPABLE);
  for (const long number : {SYS_sched_getattr, SYS_sched_setattr}) RawSyscall(number, kNoFile, nullptr, 0, 0);
  RawSyscall(SYS_rt_sigaction, 0, nullptr, nullptr, sizeof(KernelSignalSet));
  RawSyscall(SYS_rt_sigprocmask, 0, nullptr, nullptr, sizeof(KernelSignalSet));
  RawSyscall(SYS_rt_sigpending, nullptr, 0);
  RawSyscall(SYS_rt_sigtimedwait, nullptr, nullptr, nullptr, 0);
  RawSyscall(SYS_rt_tgsigqueueinfo, kNoFile, kNoFile, 0, nullptr);
  RawSyscall(SYS_tgkill, kNoFile, kNoFile, 0);
  RawSyscall(SYS_getrusage, RUSAGE_SELF, nullptr);
  RawSyscall(SYS_process_vm_readv, kNoFile, nullptr, 0, nullptr, 0, 0);
  std::atomic<uint32_t> word{0};
  RawSyscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 0, nullptr, nullptr, 0);
  timespec now = {};
  RawSyscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  RawThread::UnshareDescriptors();
  static_cast<std::atomic<bool>*>(argument)->store(true, std::memory_order_relaxed);
  MakeEachCallOfClocks();
  return 0;
}

constexpr int32_t kUnknown = -1;

// Returns the number in a field of /proc/self/status. This uses only calls and flags that the loader has just used, so
// no filter forbids them.
int32_t ReadNumber(std::string_view key) {
  char digits[8];
  const std::string_view text = ReadStatusField("/proc/self/status", key, digits);
  int32_t number = 0;
  for (const char digit : text) number = number * 10 + (digit - '0');
  return text.empty() ? kUnknown : number;
}

}  // namespace

bool MayRecordUnderFilters(int32_t harmless_filters) {
  constexpr int32_t kFilters = 2;  // SECCOMP_MODE_FILTER; in strict mode the process would not get here
  int32_t mode = ReadNumber("\nSeccomp:\t");
  // There is no /proc, or no free descriptor.
  if (mode == kUnknown) mode = static_cast<int32_t>(RawSyscall(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0));
  if (mode != kFilters) return true;
  const int32_t filters = ReadNumber("\nSeccomp_filters:\t");  // Linux 5.9
  // The count may be unknown. Then a filter is one more only if no filter is known to be harmless.
  const bool more = filters == kUnknown ? harmless_filters == 0 : filters > harmless_filters;
  if (harmless_filters >= 0 && more) return false;
  const PageMemory stack = PageMemory::Map(kStackBytes);
  if (!stack) return false;
  const SignalsBlocked blocked;
  std::atomic<uint32_t> unused{0};
  std::atomic<bool> may_record{false};
  // The child sends no signal at its end. A wait must have __WCLONE to see it (clone(2)).
  const long child = geckoprof_clone_thread(CLONE_VM | CLONE_VFORK, stack.data() + kStackBytes, &unused, nullptr,
                                            &MakeEachCall, &may_record);
  if (IsSyscallError(child)) return false;
  int status = 0;
  while (RawSyscall(SYS_wait4, child, &status, __WCLONE, nullptr) == -EINTR) {
  }
  g_may_use_clocks.store(WIFEXITED(status), std::memory_order_relaxed);
  return may_record.load(std::memory_order_relaxed);
}

bool MayUseClocksUnderFilters() { return g_may_use_clocks.load(std::memory_order_relaxed); }

}  // namespace geckoprof
