#ifndef GECKOPROF_HOOKS_SYSTEM_CALLS_SYSCALL_HOOK_H_
#define GECKOPROF_HOOKS_SYSTEM_CALLS_SYSCALL_HOOK_H_

namespace geckoprof {

// Looks libc's function up. A hook that did so itself could meet the loader's lock while another thread has it and
// waits for this one. Threads: one. Context: the library's constructor.
void FindNextSystemCall();

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_SYSTEM_CALLS_SYSCALL_HOOK_H_
