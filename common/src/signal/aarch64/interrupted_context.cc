// The interrupted thread's system call on aarch64.
#include <ucontext.h>

#include "geckoprof/signal/capture_handler.h"

namespace geckoprof {

// The kernel moves pc back to a call that it restarts.
bool WasInSystemCall(const void* context) {
  constexpr uint32_t kSupervisorCall = 0xd4000001;
  const uintptr_t pc = static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
  const auto* const at = reinterpret_cast<const uint32_t*>(pc);
  const bool is_first_of_page = pc % 4096 == 0;  // the page before may not be mapped
  return *at == kSupervisorCall || (!is_first_of_page && at[-1] == kSupervisorCall);
}

// x8 still holds the call's number, but the result has replaced the first argument in x0. The argument is lost, so the
// call cannot be made again. On this architecture the program sees EINTR in the rare case of a call that was entered at
// that moment.
bool RepairInterruptedCall(void*, uintptr_t) { return false; }

}  // namespace geckoprof
