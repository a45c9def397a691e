#ifndef GECKOPROF_BASEPROFILER_STACKS_STACK_BOUNDS_H_
#define GECKOPROF_BASEPROFILER_STACKS_STACK_BOUNDS_H_

#include <cstdint>

#include "geckoprof/base/ids.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/labels/profiling_stack.h"
#include "geckoprof/modules/module_table.h"
#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/threads/thread_slot.h"

namespace geckoprof {

// StackBoundsLookup: the known bounds of threads' stacks. The slot has the bounds of a thread that pthread_create made.
// The main thread has the program's stack. Its tid equals the pid, also in the child of a fork.
//
// Context: any.
struct StackBoundsLookup {
  ProcessId pid;
  StackRange main;

  // The main stack grows down from the program's arguments. The kernel keeps at least 128 MiB below them free of other
  // mappings.
  static StackRange MainBelow(uintptr_t stack_high) {
    constexpr uintptr_t kReach = uintptr_t{100} << 20;
    return {stack_high == 0 ? 0 : stack_high - kReach, stack_high};
  }

  // Returns the bounds of the stack of `tid`, or {0, 0} if they are unknown. `slot` is the thread's slot, or null.
  StackRange Find(ThreadId tid, const ThreadSlot* slot) const {
    if (slot != nullptr && slot->stack_high != 0) return {slot->stack_low, slot->stack_high};
    return tid.ToNumber() == pid.ToNumber() ? main : StackRange{0, 0};
  }

  // Returns the bounds of the stack of a thread without known bounds, after one sample was read. The sample was read
  // from `sp` to its outermost frame in the mapping `region`. `before` is the range that was known until now.
  //
  // The pages from `sp` to that frame are in use and stay mapped while the thread runs on them. The range does not
  // reach to the ends of the mapping. The kernel merges neighbouring mappings, such as coroutines' stacks, and the
  // program may unmap one of them. If a later sample has an `sp` outside the range, only one page is copied.
  static StackRange FromSample(const ModuleTable::Region* region, StackRange before, uint64_t sp,
                               uint64_t outermost_sp) {
    const uint64_t high = RoundUpTo(outermost_sp + 1, kPageBytes);
    if (region == nullptr || !region->readable || !region->writable || high > region->end_avma) return before;
    const uint64_t page = sp & ~uint64_t{kPageBytes - 1};
    const bool is_same = before.high == high && before.low < page;
    return is_same ? before : StackRange{page, high};
  }
};

// AlternateStack: the calling thread's alternate stack for signals (sigaltstack(2)), as the kernel knows it.
//
// The alternate stack may be an array on the thread's own stack. A handler there may have interrupted functions that
// lie below its stack pointer. Code that takes such frames for abandoned ones must ask first. Threads: the caller.
// Context: any, signal context included.
struct AlternateStack {
  bool may_be_in_use;  // The thread runs on it, or the kernel cannot be asked, since a seccomp filter may forbid it.
  StackRange range;    // Empty: there is none.

  // Asks the kernel, by one system call.
  static AlternateStack Query();
};

// ProbedStackBounds: lets a thread find the bounds of its own stack if base does not know them. The thread may
// have begun while nothing was recorded, or a function other than pthread_create may have made it.
//
//   | guard | free       | frames ...       | glibc's control block |
//               |        ^ page of the sp   ^ pthread_self()
//               |        |    each page is probed
//               ^ low end of the range, below the frames of functions called from here
//
// Pages in use stay mapped while the thread runs on them. A foreign stack (coroutine, sigaltstack) is detected because
// the thread's own guard page lies between it and the control block.
//
// Threads: one owner.
// Context: any, signal context included. Each page is probed once by a system call. errno is unchanged.
class ProbedStackBounds {
 public:
  // Returns the bounds of the calling thread's stack around `sp`, with room for the functions called from here. Returns
  // {0, 0} if the stack is not known to be the thread's own. `since_ns` is the time since which the thread has its
  // slot, which was another thread's slot before.
  StackRange Find(uintptr_t sp, int64_t since_ns);

 private:
  static constexpr uint32_t kMaxPages = 64;  // in one call; some microseconds
  static constexpr uint32_t kMaxFailures = 16;
  static constexpr uint32_t kCallBytes = 32 * 1024;  // base's own frames take some KiB

  StackRange WithCalls() const;

  StackRange range_ = {0, 0};  // the pages that were probed
  int64_t since_ns_ = 0;
  uint32_t failures_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_STACKS_STACK_BOUNDS_H_
