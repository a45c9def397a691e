#ifndef GECKOPROF_BASEPROFILER_SIGNAL_HANDLER_RETURN_H_
#define GECKOPROF_BASEPROFILER_SIGNAL_HANDLER_RETURN_H_

#include <signal.h>

namespace geckoprof {

// The code to which a handler of the program returns (sa_restorer, sigreturn(2)).
//
// Our signal may be pending while a handler of the program masks it. The kernel then delivers our signal as soon as the
// handler has returned. The handler's own signal may have interrupted a system call before. RepairInterruptedCall would
// take that call for one that our signal interrupted, and would issue it again. Base's own return code prevents this.
// It changes rcx, which holds no value of the program after a system call, so that the call is not recognized.
//
//   call, rcx == rip --program's signal--> handler -> our return code: rcx = 1 -> sigreturn --our signal--> no repair
//
// aarch64 needs none of this, because calls are not repaired there.
//
// Context: any.

// Makes the program's handler of `signal` return to base's code. It must be called after each change of the
// disposition. `libc` has just set the disposition through sigaction(2).
void UseOwnHandlerReturn(int signal);

// Replaces base's code in a disposition that the program will see by libc's.
void ShowHandlerReturnOfLibc(struct sigaction& action);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SIGNAL_HANDLER_RETURN_H_
