#include "hooks/own_syscall.h"

namespace geckoprof {

uintptr_t OwnSyscallReturn() { return 0; }

}  // namespace geckoprof
