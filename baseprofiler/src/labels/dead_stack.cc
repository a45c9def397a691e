#include "labels/dead_stack.h"

#include <signal.h>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {
namespace {

// Of the calling thread's alternate stack, if nobody is on it. Under a filter nobody is asked.
ProfilingStack::DeadRange AlternateStack() {
  stack_t stack = {};
  if (ProfilerCore::Get().HasStoppedForGood() || IsSyscallError(RawSyscall(SYS_sigaltstack, nullptr, &stack)) ||
      (stack.ss_flags & (SS_ONSTACK | SS_DISABLE)) != 0) {
    return {};
  }
  const auto low = reinterpret_cast<uintptr_t>(stack.ss_sp);
  return {low, low + stack.ss_size};
}

}  // namespace

bool DeadStack::Holds(uintptr_t address) {
  if (below_.Holds(address)) return true;
  if (below_.high == 0 || (address >= stack_.low && address < stack_.high)) return false;
  if (!asked_) alternate_ = AlternateStack();
  asked_ = true;
  return alternate_.Holds(address);
}

}  // namespace geckoprof
