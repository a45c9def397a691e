#ifndef GECKOPROF_BASE_SIGNALS_BLOCKED_H_
#define GECKOPROF_BASE_SIGNALS_BLOCKED_H_

#include <signal.h>

#include <cstdint>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {

// The kernel's signal set. Signal N is bit N - 1.
using KernelSignalSet = uint64_t;
constexpr KernelSignalSet kEverySignal = ~KernelSignalSet{0};  // includes the two that libc hides
constexpr KernelSignalSet SignalBit(int signal) { return KernelSignalSet{1} << (signal - 1); }
// libc lets no program block its own two signals. It uses them to cancel threads and to change ids (nptl(7)).
constexpr KernelSignalSet kSignalsOfLibc = SignalBit(32) | SignalBit(33);
// All signals except those that an instruction raises. The kernel kills a process if such a signal is raised while it
// is blocked.
constexpr KernelSignalSet kEveryAsynchronousSignal =
    kEverySignal & ~(SignalBit(SIGSEGV) | SignalBit(SIGBUS) | SignalBit(SIGFPE) | SignalBit(SIGILL) |
                     SignalBit(SIGTRAP) | SignalBit(SIGSYS));

// SignalsBlocked adds signals to the calling thread's signal mask during its lifetime. It protects data that a handler
// reads, so that no handler sees a half-made change. It does not touch errno.
//
// Threads: any, including threads that libc does not know.
// Context: any.
class SignalsBlocked {
 public:
  explicit SignalsBlocked(KernelSignalSet added = kEverySignal) {
    RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, &added, &before_, sizeof(KernelSignalSet));
  }
  ~SignalsBlocked() { RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, &before_, nullptr, sizeof(KernelSignalSet)); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  KernelSignalSet before() const { return before_; }

 private:
  KernelSignalSet before_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_SIGNALS_BLOCKED_H_
