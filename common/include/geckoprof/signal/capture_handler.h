// Signal code: everything that runs on a sampled thread. See STYLE of the folder in common/README.md: one OBJECT
// library that may reference memcpy and nothing else.
#ifndef GECKOPROF_SIGNAL_CAPTURE_HANDLER_H_
#define GECKOPROF_SIGNAL_CAPTURE_HANDLER_H_

#include <signal.h>

#include <atomic>
#include <cstdint>

#include "geckoprof/signal/capture_buffer.h"

namespace geckoprof {

// The buffers that a signal may name by index. Filled by who asks before the first signal that uses an entry; an entry
// never changes once set.
//
//   | the sampler's | ... | on demand | never set |
//   0                    kFirstOnDemand          kCapacity
struct CaptureTable {
  static constexpr uint32_t kCapacity = 255;  // an index is the low byte of the signal's value
  static constexpr uint32_t kFirstOnDemand = kCapacity - 8;
  std::atomic<CaptureBuffer*> buffers[kCapacity + 1];  // the last is never set: its index names no request
  std::atomic<uintptr_t> own_syscall_return;  // where our own syscall(2) comes back from the kernel; 0: there is none
  std::atomic<int32_t> pid;  // of the process that set it; a forked child has none until its own sampler starts
};

// Answers a request of the sampler, if this signal is one. False: the signal is not ours, and nothing was done.
//
// A signal whose value the kernel had no memory to keep (RLIMIT_SIGPENDING) counts as ours where a request for this
// thread is open. There are two cases with a system call: this one, to learn the thread's id, and an interrupted call
// that the kernel does not restart, to learn whether another signal waits to be delivered.
//
// Copies registers, stack and open labels into the buffer, sees to it that an interrupted system call is issued again,
// and publishes. No lock, no allocation, no wait; errno is not touched. Context: signal context only;
// every signal must be blocked meanwhile (sa_mask full), so that it is never left halfway.
bool CaptureSignalSafe(const CaptureTable& table, const siginfo_t& info, void* context);

// The kernel had no memory for what came with the signal (sigqueue(3), RLIMIT_SIGPENDING): it cannot be told from
// anybody's. Those that carry something are not sent by process 0.
inline bool LostItsInformation(const siginfo_t& info) { return info.si_code == SI_USER && info.si_pid == 0; }

// What the handler does of the calling thread itself, to a buffer whose registers and request are filled in. Context:
// any. The stack, from the registers' sp on:
void CopyStack(CaptureBuffer& buffer);
// The labels that are open:
void CopyLabels(CaptureBuffer& buffer);

// --- architecture (common/src/signal/<arch>) ---

// Registers at the point of interruption.
void ReadInterruptedRegisters(const void* context, CapturedRegisters& out);

// If the signal interrupted a system call that the kernel will not restart by itself (the call would return EINTR),
// changes the context so that it is issued again. True if it did.
//
// SA_RESTART covers most calls; signal(7) lists those that return EINTR all the same. The kernel has put -EINTR into
// the result register by then, and the call's number is gone: it is taken from the instruction that loaded it, close
// before the call. For a call made by our own syscall(2), which returns to `own_syscall_return`, the number lies on top
// of the stack. A call with a relative timeout starts its time again: at most once a sleep, since a thread that sleeps
// is not signalled.
bool RepairInterruptedCall(void* context, uintptr_t own_syscall_return);

}  // namespace geckoprof

#endif  // GECKOPROF_SIGNAL_CAPTURE_HANDLER_H_
