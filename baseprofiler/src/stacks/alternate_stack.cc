#include "stacks/alternate_stack.h"

#include <signal.h>

#include "geckoprof/base/raw_syscall.h"
#include "process/process_control.h"

namespace geckoprof {

AlternateStack AlternateStack::Query() {
  stack_t stack = {};
  if (StoppedForGood().load(std::memory_order_relaxed) ||
      IsSyscallError(RawSyscall(SYS_sigaltstack, nullptr, &stack))) {
    return {true, {0, 0}};
  }
  const auto low = reinterpret_cast<uintptr_t>(stack.ss_sp);
  const bool is_set = (stack.ss_flags & SS_DISABLE) == 0;
  return {(stack.ss_flags & SS_ONSTACK) != 0, is_set ? StackRange{low, low + stack.ss_size} : StackRange{0, 0}};
}

}  // namespace geckoprof
