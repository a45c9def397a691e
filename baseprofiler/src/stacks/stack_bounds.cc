#include "stacks/stack_bounds.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

#include "geckoprof/base/page_memory.h"
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

namespace {

// Asks the kernel whether a page is readable. The kernel copies the signal set first, and an unreadable page gives
// EFAULT. For a readable page it then refuses the unknown operation with EINVAL.
bool CanRead(uintptr_t page) {
  constexpr int kNothing = -1;
  constexpr size_t kKernelSetBytes = 8;
  return RawSyscall(SYS_rt_sigprocmask, kNothing, page, nullptr, kKernelSetBytes) == -EINVAL;
}

}  // namespace

StackRange ProbedStackBounds::Find(uintptr_t sp, int64_t since_ns) {
  if (since_ns != since_ns_) *this = {};
  since_ns_ = since_ns;
  if (range_.Contains(sp)) return WithCalls();
  const auto high = reinterpret_cast<uintptr_t>(pthread_self());
  const uintptr_t low = sp & ~uintptr_t{kPageBytes - 1};
  // The page of `sp` is mapped for sure. Pages of the range that was found before are not probed again.
  const uintptr_t end = range_.high == high && sp < range_.low ? range_.low : high;
  if (sp >= high || (end - low) / kPageBytes > kMaxPages || failures_ == kMaxFailures) return {0, 0};
  for (uintptr_t page = low + kPageBytes; page < end; page += kPageBytes) {
    if (CanRead(page)) continue;
    ++failures_;
    return {0, 0};
  }
  range_ = {low, high};
  return WithCalls();
}

StackRange ProbedStackBounds::WithCalls() const { return {range_.low - kCallBytes, range_.high}; }

}  // namespace geckoprof
