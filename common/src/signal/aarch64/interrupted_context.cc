// The interrupted thread's system call on aarch64.
#include "geckoprof/signal/capture_handler.h"

namespace geckoprof {

// x8 still holds the call's number, but the result has replaced the first argument in x0. The argument is lost, so the
// call cannot be made again. On this architecture the program sees EINTR in the rare case of a call that was entered at
// that moment.
bool RepairInterruptedCall(void*, uintptr_t) { return false; }

}  // namespace geckoprof
