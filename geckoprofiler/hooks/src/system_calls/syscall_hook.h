#ifndef GECKOPROF_HOOKS_SYSTEM_CALLS_SYSCALL_HOOK_H_
#define GECKOPROF_HOOKS_SYSTEM_CALLS_SYSCALL_HOOK_H_

namespace geckoprof {

// Looks libc's function up. Threads: one. Context: the library's constructor.
void FindNextSystemCall();

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_SYSTEM_CALLS_SYSCALL_HOOK_H_
