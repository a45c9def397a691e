#ifndef GECKOPROF_BASEPROFILER_STACKS_STACK_BOUNDS_LOOKUP_H_
#define GECKOPROF_BASEPROFILER_STACKS_STACK_BOUNDS_LOOKUP_H_

#include <cstdint>

#include "geckoprof/base/ids.h"
#include "geckoprof/base/page_memory.h"
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

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_STACKS_STACK_BOUNDS_LOOKUP_H_
