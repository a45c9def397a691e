#ifndef GECKOPROF_BASEPROFILER_HOOKS_OWN_SYSCALL_H_
#define GECKOPROF_BASEPROFILER_HOOKS_OWN_SYSCALL_H_

#include <cstdint>

namespace geckoprof {

// Returns the address at which base's version of syscall(2) returns from the kernel. The call's number is then on top
// of the stack. Returns 0 on architectures that use libc's version. Each architecture has a file of its own.
uintptr_t OwnSyscallReturn();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_HOOKS_OWN_SYSCALL_H_
