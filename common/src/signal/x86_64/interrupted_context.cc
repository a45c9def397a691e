// The interrupted thread's system call on x86-64.
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/signal/capture_handler.h"
#include "geckoprof/signal/unfinished_transfer.h"

namespace geckoprof {
namespace {

// Returns true for calls that return EINTR although the handler has SA_RESTART (signal(7)). Some of them do so only
// with a timeout on their socket.
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

// Returns true if the call waits with a signal mask of its own, which means that it waits for a signal. The handler of
// that signal may return at the moment when our signal arrives. We cannot tell the two apart. A needless EINTR is
// better than an endless wait.
bool WaitsForSignal(uint32_t number, const greg_t* gregs) {
  switch (number) {
    case SYS_ppoll:
      return gregs[REG_R10] != 0;
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
      return gregs[REG_R8] != 0;
    case SYS_pselect6: {  // the argument points to a pointer to the mask and its size
      const auto* const mask = reinterpret_cast<const uint64_t*>(gregs[REG_R9]);
      return mask != nullptr && *mask != 0;
    }
    default:
      return false;
  }
}

// Compilers and libc put at most two moves of arguments between the load of the number and `syscall`. The distance is
// largest in epoll_pwait2.
constexpr uint32_t kFarthestLoad = 20;

constexpr uint32_t kNoNumber = UINT32_MAX;
constexpr uint32_t kPartOfTransfer = kNoNumber - 1;  // the call is one of those that move the rest

// Returns the number that was loaded by `mov $imm32,%eax` (b8 imm32) shortly before the call at `syscall_at`. An `xor
// %eax,%eax` (31 c0) directly before it loads 0, which is read(2).
uint32_t NumberLoadedBefore(const uint8_t* syscall_at) {
  // Reads nothing before the page of the call, because that memory may not be mapped.
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

template <size_t kSize>
bool HasBytes(const uint8_t* at, const uint8_t (&bytes)[kSize]) {
  for (size_t i = 0; i < kSize; ++i) {
    if (at[i] != bytes[i]) return false;
  }
  return true;
}

uint32_t NumberAt(const uint8_t* place) {
  uint64_t number = 0;
  memcpy(&number, place, sizeof(number));
  return number < kNoNumber ? static_cast<uint32_t>(number) : kNoNumber;
}

constexpr uint32_t kLoadBytes = 5;
constexpr uint32_t kCallRel32Bytes = 5;

// Since glibc 2.41, all calls that are cancellation points are made in two places:
//
//   mov 0x10(%rsp),%rax; syscall             while there is one thread
//   mov %r11,0x8(%rsp); syscall; ret         in a function that gets the number in rsi. Its caller:
//                                            mov 0x20(%rsp),%rsi; moves between registers; call
//
// The second function looks for a cancellation before the call.
bool IsInCancellableCall(const uint8_t* syscall_at) {
  constexpr uint8_t kStoreR11[] = {0x4c, 0x89, 0x5c, 0x24, 0x08, 0x0f, 0x05, 0xc3};
  // As above, nothing before the page of the code is read.
  return (reinterpret_cast<uintptr_t>(syscall_at) & 4095) >= kLoadBytes && HasBytes(syscall_at - kLoadBytes, kStoreR11);
}

// Returns the number that one of these functions has on its stack.
uint32_t NumberOnStack(const uint8_t* syscall_at, const uint8_t* stack) {
  constexpr uint8_t kLoadRax[] = {0x48, 0x8b, 0x44, 0x24};
  constexpr uint8_t kLoadRsi[] = {0x48, 0x8b, 0x74, 0x24};
  constexpr uint32_t kMoveBytes = 3, kMostMoves = 6;
  if ((reinterpret_cast<uintptr_t>(syscall_at) & 4095) < kLoadBytes) return kNoNumber;
  const uint8_t* at = syscall_at - kLoadBytes;
  if (HasBytes(at, kLoadRax)) return NumberAt(stack + at[4]);
  if (!IsInCancellableCall(syscall_at)) return kNoNumber;
  memcpy(&at, stack, sizeof(at));  // the address that the function returns to
  if (reinterpret_cast<uintptr_t>(at) == TransferReturn()) return kPartOfTransfer;
  if ((reinterpret_cast<uintptr_t>(at) & 4095) < kLoadBytes + kCallRel32Bytes + kMostMoves * kMoveBytes)
    return kNoNumber;
  at -= kCallRel32Bytes;
  if (at[0] != 0xe8) return kNoNumber;
  for (uint32_t moves = 0; moves <= kMostMoves; ++moves, at -= kMoveBytes) {
    if (HasBytes(at - kLoadBytes, kLoadRsi)) return NumberAt(stack + sizeof(void*) + at[-1]);
    if (at[-2] != 0x89) break;
  }
  return kNoNumber;
}

// Returns the start of libc's function for calls that are cancellation points, or 0 if another function made the call.
// REQUIRES: the number of the call is known.
uintptr_t CancellableCall(const uint8_t* syscall_at, const uint8_t* stack) {
  constexpr uintptr_t kMostBytes = 128;
  if (!IsInCancellableCall(syscall_at)) return 0;
  uintptr_t caller = 0;
  int32_t distance = 0;
  memcpy(&caller, stack, sizeof(caller));
  memcpy(&distance, reinterpret_cast<const uint8_t*>(caller) - sizeof(distance), sizeof(distance));
  const uintptr_t function = caller + static_cast<uintptr_t>(intptr_t{distance});
  return reinterpret_cast<uintptr_t>(syscall_at) - function < kMostBytes ? function : 0;
}

}  // namespace

// `syscall` leaves the address after it in rcx (Intel SDM). The kernel moves rip back to a call that it restarts.
bool WasInSystemCall(const void* context) {
  const greg_t* const gregs = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  constexpr greg_t kCallBytes = 2;
  return gregs[REG_RCX] == gregs[REG_RIP] || gregs[REG_RCX] == gregs[REG_RIP] + kCallBytes;
}

// Returns true if a signal of the program is delivered as soon as our handler returns. The call must then fail with
// EINTR, as it would without the profiler. This makes a system call, but only after the interruption of a call that the
// kernel does not restart.
static bool HasOtherSignalPending(const void* context) {
  uint64_t blocked = 0;
  uint64_t pending = 0;
  memcpy(&blocked, &static_cast<const ucontext_t*>(context)->uc_sigmask, sizeof(blocked));
  RawSyscall(SYS_rt_sigpending, &pending, sizeof(pending));
  return (pending & ~blocked) != 0;
}

// Returns the number that `mov %reg,%eax` copies directly before the call at `syscall_at`. liburing does so in a loop.
// The bytes are 89 modrm, and 44 89 modrm for r8d to r15d. A call changes rax, rcx and r11 alone, so the register still
// has the number.
static uint32_t NumberInRegister(const uint8_t* syscall_at, const greg_t* gregs) {
  constexpr int8_t kRegisters[16] = {-1,     -1,     REG_RDX, REG_RBX, -1,      REG_RBP, REG_RSI, REG_RDI,
                                     REG_R8, REG_R9, REG_R10, -1,      REG_R12, REG_R13, REG_R14, REG_R15};
  if ((reinterpret_cast<uintptr_t>(syscall_at) & 4095) < 3) return kNoNumber;  // the page before may not be mapped
  if (syscall_at[-2] != 0x89 || (syscall_at[-1] & 0xc7) != 0xc0) return kNoNumber;
  const int place = kRegisters[(syscall_at[-1] >> 3 & 7) + (syscall_at[-3] == 0x44 ? 8 : 0)];
  const auto number = place >= 0 ? static_cast<uint32_t>(gregs[place]) : kNoNumber;
  return IsNeverRestarted(number) || IsTransfer(number) ? number : kNoNumber;
}

// Returns the number of the call that has just returned to the current pc. The result is kNoNumber if there is no such
// call or its number is unknown.
static uint32_t NumberOfCallBefore(const greg_t* gregs, uintptr_t own_syscall_return) {
  const uint8_t* const after = reinterpret_cast<const uint8_t*>(gregs[REG_RIP]);
  const bool is_readable = (reinterpret_cast<uintptr_t>(after) & 4095) >= 2;  // the page before may not be mapped
  if (!is_readable || after[-2] != 0x0f || after[-1] != 0x05) return kNoNumber;
  const auto* const stack = reinterpret_cast<const uint8_t*>(gregs[REG_RSP]);
  if (reinterpret_cast<uintptr_t>(after) == own_syscall_return) return NumberAt(stack);
  uint32_t number = NumberOnStack(after - 2, stack);
  if (number == kNoNumber) number = NumberInRegister(after - 2, gregs);
  return number != kNoNumber ? number : NumberLoadedBefore(after - 2);
}

// Sends the thread to the code that moves the rest, if a call like write(2) has moved a part.
static bool FinishTransfer(void* context, greg_t* gregs, uint32_t number) {
  const TransferCall call = {number,
                             static_cast<uint64_t>(gregs[REG_RAX]),
                             {static_cast<uint64_t>(gregs[REG_RDI]), static_cast<uint64_t>(gregs[REG_RSI]),
                              static_cast<uint64_t>(gregs[REG_RDX]), static_cast<uint64_t>(gregs[REG_R10]),
                              static_cast<uint64_t>(gregs[REG_R8]), static_cast<uint64_t>(gregs[REG_R9])}};
  if (call.done >> 32 != 0 || !MayBeUnfinished(call) || HasOtherSignalPending(context)) return false;
  gregs[REG_RAX] |= static_cast<greg_t>(uint64_t{number} << 32);
  gregs[REG_RCX] = gregs[REG_RIP];
  gregs[REG_R11] = static_cast<greg_t>(CancellableCall(reinterpret_cast<const uint8_t*>(gregs[REG_RIP]) - 2,
                                                       reinterpret_cast<const uint8_t*>(gregs[REG_RSP])));
  gregs[REG_RIP] = static_cast<greg_t>(TransferEntry());
  return true;
}

bool RepairInterruptedCall(void* context, uintptr_t own_syscall_return) {
  greg_t* const gregs = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  // After a `syscall` instruction, rcx holds the return address (Intel SDM, SYSCALL). This is a cheap first test
  // without a memory access.
  if (gregs[REG_RCX] != gregs[REG_RIP]) return false;
  const bool was_refused = gregs[REG_RAX] == -EINTR;
  if (!was_refused && gregs[REG_RAX] <= 0) return false;
  const uint32_t number = NumberOfCallBefore(gregs, own_syscall_return);
  // Our signal interrupted a part of a transfer. A cleared rcx tells geckoprof_move_rest to continue.
  if (number == kPartOfTransfer) {
    if (HasOtherSignalPending(context)) return false;
    gregs[REG_RCX] = 0;
    return true;
  }
  if (!was_refused) return IsTransfer(number) && FinishTransfer(context, gregs, number);
  if (!IsNeverRestarted(number) || WaitsForSignal(number, gregs) || HasOtherSignalPending(context)) return false;
  // The thread executes `syscall` again with the same number. The instruction has two bytes.
  gregs[REG_RAX] = static_cast<greg_t>(number);
  gregs[REG_RIP] -= 2;
  return true;
}

}  // namespace geckoprof
