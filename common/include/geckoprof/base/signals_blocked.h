#ifndef GECKOPROF_BASE_SIGNALS_BLOCKED_H_
#define GECKOPROF_BASE_SIGNALS_BLOCKED_H_

#include <signal.h>

#include <cstdint>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {

// The kernel's signal set: bit (signal - 1).
using KernelSignalSet = uint64_t;
constexpr KernelSignalSet kEverySignal = ~KernelSignalSet{0};  // libc's own two as well, which its own calls leave out
constexpr KernelSignalSet SignalBit(int signal) { return KernelSignalSet{1} << (signal - 1); }
// Without those that an instruction raises: the kernel kills a process in which such a one is blocked.
constexpr KernelSignalSet kEveryAsynchronousSignal =
    kEverySignal & ~(SignalBit(SIGSEGV) | SignalBit(SIGBUS) | SignalBit(SIGFPE) | SignalBit(SIGILL) |
                     SignalBit(SIGTRAP) | SignalBit(SIGSYS));

// SignalsBlocked: adds signals to the calling thread's mask while it lives: nothing of them may interrupt a change of
// what a handler reads. Threads: any, libc need not know them. Context: any. errno is not touched.
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
