// The interrupted thread's registers on aarch64.
#include <ucontext.h>

#include "geckoprof/signal/capture_handler.h"

namespace geckoprof {

void ReadInterruptedRegisters(const void* context, CapturedRegisters& out) {
  const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
  for (int i = 0; i < 31; ++i) out.values[i] = machine.regs[i];
  out.values[31] = machine.sp;
  out.pc = machine.pc;
  out.sp = machine.sp;
}

// x8 still holds the call's number, but the result has replaced the first argument in x0. The argument is lost, so the
// call cannot be made again. On this architecture the program sees EINTR in the rare case of a call that was entered at
// that moment.
bool RepairInterruptedCall(void*, uintptr_t) { return false; }

}  // namespace geckoprof
