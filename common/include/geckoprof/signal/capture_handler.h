// Signal code, which runs on a sampled thread. The rules are in common/README.md. This folder is one OBJECT library
// that may reference memcpy and nothing else.
#ifndef GECKOPROF_SIGNAL_CAPTURE_HANDLER_H_
#define GECKOPROF_SIGNAL_CAPTURE_HANDLER_H_

#include <signal.h>

#include <atomic>
#include <cstdint>

#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/signal/kernel_ticks.h"

namespace geckoprof {

// The buffers that a signal may name by index. The requesting thread sets an entry before the first signal that uses
// it. An entry never changes after that.
//
//   | the sampler's | ... | on demand | never set |
//   0                    kFirstOnDemand          kCapacity
struct CaptureTable {
  static constexpr uint32_t kCapacity = 255;  // an index is the low byte of the signal's value
  static constexpr uint32_t kFirstOnDemand = kCapacity - 8;
  std::atomic<CaptureBuffer*> buffers[kCapacity + 1];  // the last entry is never set, so its index names no request
  std::atomic<uintptr_t> own_syscall_return;           // return address of our own syscall(2), or 0
  std::atomic<int32_t> pid;       // the process that set it; a forked child has none until its sampler starts
  std::atomic<TickTable*> ticks;  // null until the first timer is armed
};

// Answers a request of the sampler or a tick. Returns false if the signal is not ours. Nothing has happened then.
//
// The function copies registers, stack and open labels into a buffer, repairs an interrupted system call, and publishes
// the answer. A request names its buffer. A tick takes a free one. It takes no lock, allocates nothing, never waits,
// and does not touch errno.
//
// The kernel may have had no memory for the signal's value (RLIMIT_SIGPENDING). This signal counts as ours if this
// thread has an open request. The function makes a system call in two cases. In the first case it needs the thread's id
// for such a signal. In the second case the kernel does not restart an interrupted call, and the function asks if
// another signal is pending.
//
// Context: signal context only. Every signal must be blocked meanwhile (full sa_mask), so that the handler always
// finishes.
bool CaptureSignalSafe(const CaptureTable& table, const siginfo_t& info, void* context);

// Returns true if the kernel had no memory for the data of the signal (sigqueue(3), RLIMIT_SIGPENDING). The sender is
// unknown then. A signal with data never comes from process 0.
inline bool HasLostSiginfo(const siginfo_t& info) { return info.si_code == SI_USER && info.si_pid == 0; }

// Reads the registers at the point of interruption from the signal's saved context.
//
// Context: any.
void ReadInterruptedRegisters(const void* context, CapturedRegisters& registers);

// The parts of the handler that also serve the calling thread itself. The registers and the request of `buffer` must be
// filled in. CopyStack copies the stack from the registers' sp on.
//
// Context: any.
void CopyStack(CaptureBuffer& buffer);
// Copies the open labels.
void CopyLabels(CaptureBuffer& buffer);

// --- architecture (common/src/signal/<arch>) ---

// Returns true if the signal came while the thread was in a system call. It may be wrong for an instruction right after
// a system call.
bool WasInSystemCall(const void* context);

// Repairs a system call that the signal interrupted and that the kernel does not restart, so that it would return
// EINTR. It changes the context so that the call is made again. Returns true if it did.
//
// SA_RESTART covers most calls, and signal(7) lists the others. For those, the kernel has already replaced the call's
// number by -EINTR in the result register. We find the number in the instruction that loaded it, shortly before the
// call. Our own syscall(2) returns to `own_syscall_return` and has the number on top of the stack. If a call has a
// relative timeout, the timeout starts again. This happens at most once in a sleep, because we send no signal to a
// thread that sleeps.
bool RepairInterruptedCall(void* context, uintptr_t own_syscall_return);

}  // namespace geckoprof

#endif  // GECKOPROF_SIGNAL_CAPTURE_HANDLER_H_
