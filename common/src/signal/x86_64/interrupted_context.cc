// The interrupted thread's registers and system call on x86-64.
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/signal/capture_handler.h"
#include "geckoprof/signal/unfinished_transfer.h"

namespace geckoprof {
namespace {

// DWARF register numbers (System V ABI for x86-64, figure 3.36) to places in the kernel's signal frame.
constexpr int kDwarfToGreg[16] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

// Calls that return EINTR after a handler although it has SA_RESTART (signal(7)), or with a timeout set on their
// socket.
bool IsNeverRestarted(uint32_t number) {
  switch (number) {
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_futex:
    case SYS_futex_waitv:
    case SYS_rt_sigtimedwait:
    case SYS_msgrcv:
    case SYS_msgsnd:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
    case SYS_io_uring_enter:
    case SYS_accept:
    case SYS_accept4:
    case SYS_connect:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_read:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_readv:
    case SYS_write:
    case SYS_writev:
    case SYS_ioctl:
      return true;
    default:
      return false;
  }
}

// A wait with a signal mask of its own is one for a signal: when its handler returns in the very moment at which ours
// arrives, the two cannot be told apart. Rather EINTR once too often than a wait that goes on for ever.
bool WaitsForSignal(uint32_t number, const greg_t* gregs) {
  switch (number) {
    case SYS_ppoll:
      return gregs[REG_R10] != 0;
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
      return gregs[REG_R8] != 0;
    case SYS_pselect6: {  // of a pointer to the mask and its size
      const auto* const mask = reinterpret_cast<const uint64_t*>(gregs[REG_R9]);
      return mask != nullptr && *mask != 0;
    }
    default:
      return false;
  }
}

// From the load of the number to `syscall` compilers and libc put at most two moves of arguments: 4 bytes in
// epoll_pwait2.
constexpr uint32_t kFarthestLoad = 20;

constexpr uint32_t kNoNumber = UINT32_MAX;

// The number that was loaded by `mov $imm32,%eax` (b8 imm32) shortly before the call at `syscall_at`, or by `xor
// %eax,%eax` (31 c0) right before it, which is 0, read(2).
uint32_t NumberLoadedBefore(const uint8_t* syscall_at) {
  // Never reads below the page that the call lies in: what is before it may not be mapped.
  const uintptr_t page_start = reinterpret_cast<uintptr_t>(syscall_at) & ~uintptr_t{4095};
  const bool has_two = reinterpret_cast<uintptr_t>(syscall_at) - page_start >= 2;
  if (has_two && syscall_at[-2] == 0x31 && syscall_at[-1] == 0xc0) return SYS_read;
  for (uint32_t back = 5; back <= kFarthestLoad; ++back) {
    const uint8_t* const at = syscall_at - back;
    if (reinterpret_cast<uintptr_t>(at) < page_start) return kNoNumber;
    if (at[0] != 0xb8) continue;
    const uint32_t number = static_cast<uint32_t>(at[1]) | static_cast<uint32_t>(at[2]) << 8 |
                            static_cast<uint32_t>(at[3]) << 16 | static_cast<uint32_t>(at[4]) << 24;
    if (IsNeverRestarted(number) || IsTransfer(number)) return number;
  }
  return kNoNumber;
}

}  // namespace

void ReadInterruptedRegisters(const void* context, CapturedRegisters& out) {
  const greg_t* const gregs = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  for (int i = 0; i < 16; ++i) out.values[i] = static_cast<uint64_t>(gregs[kDwarfToGreg[i]]);
  out.pc = static_cast<uint64_t>(gregs[REG_RIP]);
  out.sp = static_cast<uint64_t>(gregs[REG_RSP]);
}

// Whether a signal of the program's waits to be delivered as soon as ours returns: then the call is to fail with EINTR,
// as it would without us. A system call of the handler's, made only where a call was interrupted that the kernel does
// not restart.
static bool HasOtherSignalPending(const void* context) {
  uint64_t blocked = 0;
  uint64_t pending = 0;
  memcpy(&blocked, &static_cast<const ucontext_t*>(context)->uc_sigmask, sizeof(blocked));
  RawSyscall(SYS_rt_sigpending, &pending, sizeof(pending));
  return (pending & ~blocked) != 0;
}

// The number of the call that has just returned to `after`; kNoNumber: it cannot be told, or none has.
static uint32_t NumberOfCallBefore(const greg_t* gregs, uintptr_t own_syscall_return) {
  const uint8_t* const after = reinterpret_cast<const uint8_t*>(gregs[REG_RIP]);
  const bool is_readable = (reinterpret_cast<uintptr_t>(after) & 4095) >= 2;  // the page before may not be mapped
  if (!is_readable || after[-2] != 0x0f || after[-1] != 0x05) return kNoNumber;
  if (reinterpret_cast<uintptr_t>(after) != own_syscall_return) return NumberLoadedBefore(after - 2);
  return static_cast<uint32_t>(*reinterpret_cast<const uint64_t*>(gregs[REG_RSP]));
}

// A call of write(2) or its like that has moved something: the thread is sent to where the rest is moved.
static bool FinishTransfer(void* context, greg_t* gregs, uint32_t number) {
  const TransferCall call = {number,
                             static_cast<uint64_t>(gregs[REG_RAX]),
                             {static_cast<uint64_t>(gregs[REG_RDI]), static_cast<uint64_t>(gregs[REG_RSI]),
                              static_cast<uint64_t>(gregs[REG_RDX]), static_cast<uint64_t>(gregs[REG_R10]),
                              static_cast<uint64_t>(gregs[REG_R8]), static_cast<uint64_t>(gregs[REG_R9])}};
  if (call.done >> 32 != 0 || !MayBeUnfinished(call) || HasOtherSignalPending(context)) return false;
  gregs[REG_RAX] |= static_cast<greg_t>(uint64_t{number} << 32);
  gregs[REG_RCX] = gregs[REG_RIP];
  gregs[REG_RIP] = static_cast<greg_t>(TransferEntry());
  return true;
}

bool RepairInterruptedCall(void* context, uintptr_t own_syscall_return) {
  greg_t* const gregs = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  // rcx holds the return address after a `syscall` instruction (Intel SDM, SYSCALL): a cheap first test that needs no
  // read.
  if (gregs[REG_RCX] != gregs[REG_RIP]) return false;
  const bool was_refused = gregs[REG_RAX] == -EINTR;
  if (!was_refused && gregs[REG_RAX] <= 0) return false;
  if (static_cast<uintptr_t>(gregs[REG_RIP]) == TransferReturn()) {
    if (HasOtherSignalPending(context)) return false;
    gregs[REG_RCX] = 0;
    return true;
  }
  const uint32_t number = NumberOfCallBefore(gregs, own_syscall_return);
  if (!was_refused) return IsTransfer(number) && FinishTransfer(context, gregs, number);
  if (!IsNeverRestarted(number) || WaitsForSignal(number, gregs) || HasOtherSignalPending(context)) return false;
  gregs[REG_RAX] = static_cast<greg_t>(number);
  gregs[REG_RIP] -= 2;
  return true;
}

}  // namespace geckoprof
