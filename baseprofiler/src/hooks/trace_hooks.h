#ifndef GECKOPROF_BASEPROFILER_HOOKS_TRACE_HOOKS_H_
#define GECKOPROF_BASEPROFILER_HOOKS_TRACE_HOOKS_H_

namespace geckoprof {

// The program's syscall(2) with SYS_ptrace. It acts as the ptrace(2) hook and returns the kernel's result. errno is
// unchanged.
long TraceBySyscall(long request, long pid, long address, long data);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_HOOKS_TRACE_HOOKS_H_
