#include "hooks/hook_calls.h"

namespace geckoprof {

uintptr_t OwnSyscallReturn() { return 0; }

}  // namespace geckoprof
