#ifndef GECKOPROF_BASEPROFILER_HOOKS_HOOK_CALLS_H_
#define GECKOPROF_BASEPROFILER_HOOKS_HOOK_CALLS_H_

#include <cstdint>

#include "geckoprof/threads/thread_slot.h"

// The calls between the files of this folder. The interposed functions themselves have libc's declarations.
namespace geckoprof {

// --- signal_hooks.cc ---

// Notes the calling thread's signal mask, which it inherited from its creator, in its new slot. `hidden` is the signal
// that the program believes to be blocked, or 0.
void InheritSignalMask(ThreadSlot& slot, int hidden);

// Looks up libc's functions for the hooks of that file. The library's constructor calls it. Later another thread may
// hold the loader's lock and wait for the caller.
void ResolveSignalFunctions();

// --- thread_hooks.cc ---

// Called after prctl(2) succeeded on the calling thread. If the call named the thread, the sampler reads the name at
// the next tick, or later if the thread has ended by then. Context: any. errno is unchanged.
void NoteThreadName(int option, unsigned long name);

// --- trace_hooks.cc ---

// The program's syscall(2) with SYS_ptrace. It acts as the ptrace(2) hook and returns the kernel's result. errno is
// unchanged.
long TraceBySyscall(long request, long pid, long address, long data);

// --- own_syscall.cc, one file for each architecture ---

// Returns the address at which base's version of syscall(2) returns from the kernel. The call's number is then on top
// of the stack. Returns 0 on architectures that use libc's version.
uintptr_t OwnSyscallReturn();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_HOOKS_HOOK_CALLS_H_
