#include "hooks/hook_calls.h"

extern "C" const char geckoprof_syscall_return[] __attribute__((visibility("hidden")));  // in syscall_function.S

namespace geckoprof {

uintptr_t OwnSyscallReturn() { return reinterpret_cast<uintptr_t>(geckoprof_syscall_return); }

}  // namespace geckoprof
