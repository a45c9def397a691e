#include "labels/dead_stack.h"

#include <signal.h>

#include <utility>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {

// Under a filter nobody is asked.
void DeadStack::AskForAlternate() {
  if (std::exchange(asked_, true)) return;
  stack_t stack = {};
  if (RecordingState::Get().HasStoppedForGood() || IsSyscallError(RawSyscall(SYS_sigaltstack, nullptr, &stack))) return;
  is_on_alternate_ = (stack.ss_flags & SS_ONSTACK) != 0;
  if (is_on_alternate_ || (stack.ss_flags & SS_DISABLE) != 0) return;
  const auto low = reinterpret_cast<uintptr_t>(stack.ss_sp);
  alternate_ = {low, low + stack.ss_size};
}

bool DeadStack::Holds(uintptr_t address) {
  const bool is_below = below_.Holds(address);
  const bool is_elsewhere = below_.high != 0 && !stack_.Holds(address);
  if (!is_below && !is_elsewhere) return false;
  AskForAlternate();
  return !is_on_alternate_ && (is_below || alternate_.Holds(address));
}

}  // namespace geckoprof
