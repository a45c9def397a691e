#include "sampler/seccomp_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include <atomic>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/signals_blocked.h"
#include "sampler/raw_thread.h"

namespace geckoprof {
namespace {

constexpr size_t kStackBytes = 4 * kPageBytes;

// Makes each system call of the constructor, the sampler and the hooks. The arguments make the call fail or do nothing.
// A filter that checks arguments may treat the real ones differently.
int MakeEachCall(void*) {
  const rlimit no_core = {0, 0};
  RawSyscall(SYS_prlimit64, 0, RLIMIT_CORE, &no_core, nullptr);
  constexpr int kNoFile = -1;
  for (const long number : {SYS_pread64, SYS_getdents64, SYS_lseek, SYS_fstat, SYS_fstatfs, SYS_fallocate,
                            SYS_ftruncate, SYS_close, SYS_read, SYS_write}) {
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
  RawSyscall(SYS_process_vm_readv, kNoFile, nullptr, 0, nullptr, 0, 0);
  std::atomic<uint32_t> word{0};
  RawSyscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 0, nullptr, nullptr, 0);
  timespec now = {};
  RawSyscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  RawThread::UnshareDescriptors();
  return 0;
}

constexpr int32_t kUnknown = -1;

// Returns the number after `key` in the text of /proc/self/status, and moves `text` after it.
int32_t ParseField(const char*& text, const char* key) {
  const char* digit = strstr(text, key);
  if (digit == nullptr) return kUnknown;
  int32_t number = 0;
  for (digit += strlen(key); *digit >= '0' && *digit <= '9'; ++digit) number = number * 10 + (*digit - '0');
  text = digit;
  return number;
}

struct SeccompState {
  int32_t mode = kUnknown;     // "Seccomp:"
  int32_t filters = kUnknown;  // "Seccomp_filters:" (Linux 5.9)
};

// Uses only calls and flags that the loader has just used, so no filter forbids them.
SeccompState ReadState() {
  char text[4096];
  const Fd file = Fd::Open("/proc/self/status", O_RDONLY);
  const long length = file.ok() ? RawSyscall(SYS_read, file.number(), text, sizeof(text) - 1) : -1;
  if (length <= 0) return {};
  text[length] = '\0';
  const char* rest = text;
  const int32_t mode = ParseField(rest, "\nSeccomp:\t");
  return {mode, ParseField(rest, "\nSeccomp_filters:\t")};
}

}  // namespace

bool MayRecordUnderFilters(int32_t harmless_filters) {
  constexpr int32_t kFilters = 2;  // SECCOMP_MODE_FILTER; in strict mode the process would not get here
  SeccompState state = ReadState();
  // There is no /proc, or no free descriptor.
  if (state.mode == kUnknown) state.mode = static_cast<int32_t>(RawSyscall(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0));
  if (state.mode != kFilters) return true;
  // The count may be unknown. Then a filter is one more only if no filter is known to be harmless.
  const bool more = state.filters == kUnknown ? harmless_filters == 0 : state.filters > harmless_filters;
  if (harmless_filters >= 0 && more) return false;
  const PageMemory stack = PageMemory::Map(kStackBytes);
  if (!stack) return false;
  const SignalsBlocked blocked;
  std::atomic<uint32_t> unused{0};
  // The child sends no signal at its end. A wait must have __WCLONE to see it (clone(2)).
  const long child = geckoprof_clone_thread(CLONE_VM | CLONE_VFORK, stack.data() + kStackBytes, &unused, nullptr,
                                            &MakeEachCall, nullptr);
  if (IsSyscallError(child)) return false;
  int status = 0;
  while (RawSyscall(SYS_wait4, child, &status, __WCLONE, nullptr) == -EINTR) {
  }
  return WIFEXITED(status);
}

}  // namespace geckoprof
