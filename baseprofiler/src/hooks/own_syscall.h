#ifndef GECKOPROF_BASEPROFILER_HOOKS_OWN_SYSCALL_H_
#define GECKOPROF_BASEPROFILER_HOOKS_OWN_SYSCALL_H_

#include <cstdint>

namespace geckoprof {

// Where our own version of syscall(2) comes back from the kernel, with the call's number on top of the stack; 0 on
// architectures where libc's version serves (one file an architecture).
uintptr_t OwnSyscallReturn();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_HOOKS_OWN_SYSCALL_H_
