#ifndef GECKOPROF_BASEPROFILER_HOOKS_TRACE_HOOKS_H_
#define GECKOPROF_BASEPROFILER_HOOKS_TRACE_HOOKS_H_

namespace geckoprof {

// The program's syscall(2) with SYS_ptrace, as our ptrace(2) of libc's: what the kernel returns. errno stays.
long TraceBySyscall(long request, long pid, long address, long data);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_HOOKS_TRACE_HOOKS_H_
