// The hook of syscall(2) as a function of libc. std::atomic::wait, std::counting_semaphore and Rust's standard library
// wait at futexes through it. The hook itself is syscall_hook.S. Any other system call costs it a comparison, a load
// and a jump.
#include <linux/futex.h>
#include <sys/syscall.h>

#include "locks/wait_hooks.h"

extern "C" {

// The function has as many arguments as the kernel takes. The caller may have passed fewer.
using Syscall = long(long number, long a, long b, long c, long d, long e, long f);
Syscall geckoprof_call_slowly [[gnu::visibility("hidden")]];
Syscall GeckoprofSyscall asm("syscall");

// Null before the function was looked up.
[[gnu::visibility("hidden")]] constinit Syscall* geckoprof_next_syscall = nullptr;

}  // extern "C"

namespace geckoprof {
namespace {

constinit NextFunction g_next_syscall{"syscall", &GeckoprofSyscall};

bool IsWait(long number, long operation) {
  constexpr long kLockPi2 = 13;
  if (number != SYS_futex) return false;
  const long command = operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI || command == kLockPi2;
}

}  // namespace

void FindNextSystemCall() { geckoprof_next_syscall = g_next_syscall.Find(); }

}  // namespace geckoprof

long geckoprof_call_slowly(long number, long word, long operation, long c, long d, long e, long f) {
  const geckoprof_time start = geckoprof::IsWait(number, operation) ? geckoprof::BeginWait() : 0;
  const long result = geckoprof::g_next_syscall.get()(number, word, operation, c, d, e, f);
  // Otherwise the word had changed already, or the kernel refused the arguments.
  if (start != 0 && (result == 0 || errno == ETIMEDOUT || errno == EINTR)) {
    geckoprof::EndWait(geckoprof::WaitKind::kFutex, reinterpret_cast<const void*>(word), 0, start);
  }
  return result;
}
