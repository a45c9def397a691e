// The hook of syscall(2) as a function of libc. std::atomic::wait, std::counting_semaphore and Rust's standard library
// wait at futexes through it, and libuv uses it for io_uring. The hook itself is syscall_hook.S. Any other system call
// costs it two comparisons, a load and a jump.
#include "system_calls/syscall_hook.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include "io/io_hook.h"
#include "io/ring_call.h"
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

constinit IoHook g_syscall("syscall", &GeckoprofSyscall, {"io_uring_enter"});

bool IsWait(long operation) {
  constexpr long kLockPi2 = 13;
  const long command = operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI || command == kLockPi2;
}

long CallFutex(Syscall* next, long word, long operation, long c, long d, long e, long f) {
  const geckoprof_time start = IsWait(operation) ? BeginWait() : 0;
  const long result = next(SYS_futex, word, operation, c, d, e, f);
  // Otherwise the word had changed already, or the kernel refused the arguments.
  if (start != 0 && (result == 0 || errno == ETIMEDOUT || errno == EINTR)) {
    EndWait(WaitKind::kFutex, reinterpret_cast<const void*>(word), 0, start);
  }
  return result;
}

// The caller has mapped the ring by itself, so the hook does not know where its requests are.
long CallRing(long ring, long submitted, long awaited, long flags, long signals, long bytes) {
  const auto note = [&](geckoprof_time start, long) {
    NoteRingCall(g_syscall.function, RingDescriptor(ring, static_cast<unsigned long>(flags)), start);
  };
  return CallAndNote(g_syscall, note, long{SYS_io_uring_enter}, ring, submitted, awaited, flags, signals, bytes);
}

}  // namespace

void FindNextSystemCall() { geckoprof_next_syscall = g_syscall.next.Find(); }

}  // namespace geckoprof

long geckoprof_call_slowly(long number, long a, long b, long c, long d, long e, long f) {
  if (number == SYS_io_uring_enter) return geckoprof::CallRing(a, b, c, d, e, f);
  Syscall* const next = geckoprof::g_syscall.next.get();
  return number == SYS_futex ? geckoprof::CallFutex(next, a, b, c, d, e, f) : next(number, a, b, c, d, e, f);
}
