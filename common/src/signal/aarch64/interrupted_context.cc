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

// x8 still holds the number, but the result has replaced the first argument in x0, and nothing else tells what it was.
// So a call cannot be issued again from here: on this architecture the caller sees EINTR in the rare case of a call
// entered just then.
bool RepairInterruptedCall(void*, uintptr_t) { return false; }

}  // namespace geckoprof
