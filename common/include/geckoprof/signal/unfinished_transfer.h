// Calls that move bytes, messages or events, and that one of our signals made return with a part of them moved.
#ifndef GECKOPROF_SIGNAL_UNFINISHED_TRANSFER_H_
#define GECKOPROF_SIGNAL_UNFINISHED_TRANSFER_H_

#include <cstdint>

namespace geckoprof {

// A call of write(2) and its like, as the registers have it. Its layout is known to finish_transfer.S.
struct TransferCall {
  uint64_t number;
  uint64_t done;  // what was moved so far: bytes, or what else the call counts
  uint64_t arguments[6];
};
static_assert(sizeof(TransferCall) == 64);

// A program without signal handlers may rely on it that a blocking write to a pipe writes everything, and most programs
// do. The kernel ends such a call early when any signal comes, whatever SA_RESTART says: with a count, not with EINTR.
//
//   the program:      write(1, p, 8 MB) --- kernel: 64 KiB moved, a signal --.        .--> goes on, rax = 8 MB
//   our handler:                                                            '- rip -.  |
//   the same thread, no handler any more:     geckoprof_finish_transfer: write(1, p + 64 KiB, rest)
//
// So the handler makes the thread return to code of ours, which moves the rest, as often as it takes, and then returns
// to where the call would have, with all registers but the result as they were. It runs as a part of the program:
// signals find it interruptible, and its stack is unwound by unwind data.
//
// Nothing is done where a short count is no sign of an interruption: the code there asks the kernel first what it is
// that the descriptor stands for.
//
//   write, writev                pipes, sockets, terminals
//   sendto, sendmsg              stream sockets; further parts never raise SIGPIPE, as the one call would not have
//   recvfrom, recvmsg            stream sockets, with MSG_WAITALL; recvmsg without room for control data
//   read, readv                  memory devices (/dev/zero, /dev/urandom)
//   recvmmsg, sendmmsg           without a time limit, or MSG_WAITFORONE; a message that was sent in part, too
//   io_getevents                 without a timeout
//   io_uring_enter               likewise: what was submitted is counted, what it waited for is not there yet
//   getrandom
//   sendfile, copy_file_range    unless a limit of file size is set, at which a further part would raise SIGXFSZ
//
// On x86-64 alone: elsewhere the first argument is gone by then. Context of all here: signal context.

// Whether it is one of those calls.
bool IsTransfer(uint64_t number);

// Whether the call, which has returned a count of `done` > 0, may have been cut short. By the registers alone; of calls
// with vectors always.
bool MayBeUnfinished(const TransferCall& call);

// Where the handler sends the thread, with the count in the low half of the result register, the call's number in the
// high one, and the place to return to in rcx.
uintptr_t TransferEntry();

// Where geckoprof_transfer_call comes back from the kernel. A handler that finds the thread there, with a count or with
// EINTR, and no other signal waiting, clears rcx: the rest is to be moved.
uintptr_t TransferReturn();

}  // namespace geckoprof

#endif  // GECKOPROF_SIGNAL_UNFINISHED_TRANSFER_H_
