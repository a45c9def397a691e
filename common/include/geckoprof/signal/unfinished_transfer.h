// System calls that move bytes, messages or events, and that our signal ended after a part of the work.
#ifndef GECKOPROF_SIGNAL_UNFINISHED_TRANSFER_H_
#define GECKOPROF_SIGNAL_UNFINISHED_TRANSFER_H_

#include <cstdint>

namespace geckoprof {

// A call of write(2) or a similar call, as in the registers. finish_transfer.S knows this layout.
struct TransferCall {
  uint64_t number;
  uint64_t done;  // amount moved so far, in the unit that the call counts
  uint64_t arguments[6];
};
static_assert(sizeof(TransferCall) == 64);

// Most programs without signal handlers rely on a blocking write to a pipe to write everything. The kernel ends such a
// call early when any signal comes, even with SA_RESTART. It then returns a count and not EINTR.
//
//   the program:      write(1, p, 8 MB) --- kernel: 64 KiB moved, a signal --.        .--> goes on, rax = 8 MB
//   our handler:                                                            '- rip -.  |
//   the same thread, no handler any more:     geckoprof_finish_transfer: write(1, p + 64 KiB, rest)
//
// The handler therefore makes the thread return to code of ours, which moves the rest in as many calls as necessary.
// The code then returns to the place where the call would have returned. All registers except the result are unchanged.
// The code runs as a part of the program. Signals can interrupt it, and unwind data describes its stack.
//
// A short count is not always the sign of an interruption. The code first asks the kernel for the type of the
// descriptor. It finishes these calls:
//
//   write, writev                pipes, sockets, terminals
//   sendto, sendmsg              stream sockets; later parts raise no SIGPIPE, as the single call would not have
//   recvfrom, recvmsg            stream sockets, with MSG_WAITALL; recvmsg without room for control data
//   read, readv                  memory devices (/dev/zero, /dev/urandom)
//   recvmmsg, sendmmsg           without time limit and MSG_WAITFORONE; also the rest of a message sent in part
//   io_getevents                 without a timeout
//   io_uring_enter               likewise; the entries are submitted and counted, but the completions are not there yet
//   getrandom
//   sendfile, copy_file_range    unless a file size limit is set, at which a later part would raise SIGXFSZ
//
// This exists on x86-64 alone. On other architectures the kernel has overwritten the first argument by then.
//
// Context: signal context, for all functions here.

// Returns true if `number` is one of these calls.
bool IsTransfer(uint64_t number);

// Returns true if the call may have been cut short. `call.done` is its result and greater than 0. The function looks at
// the registers alone, so for calls with vectors it always returns true.
bool MayBeUnfinished(const TransferCall& call);

// Returns the address to which the handler sends the thread. The result register must hold the count in its low half
// and the call's number in its high half. The return address must be in rcx. If libc's function for cancellation points
// made the call, its address must be in r11. Otherwise r11 must be 0.
uintptr_t TransferEntry();

// Returns the address to which the function returns that makes the calls for the rest. A handler may find the thread
// after the `syscall` of that function, with a count or EINTR and with no other signal pending. It then clears rcx,
// which means that the rest must be moved.
uintptr_t TransferReturn();

}  // namespace geckoprof

#endif  // GECKOPROF_SIGNAL_UNFINISHED_TRANSFER_H_
