#ifndef GECKOPROF_BASEPROFILER_STACKS_STACK_BOUNDS_LOOKUP_H_
#define GECKOPROF_BASEPROFILER_STACKS_STACK_BOUNDS_LOOKUP_H_

#include <cstdint>

#include "geckoprof/base/ids.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/modules/module_table.h"
#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/threads/thread_slot.h"

namespace geckoprof {

// StackBoundsLookup: where a thread's stack lies, as far as anybody told us: of threads that pthread_create made their
// slots know it, and the main thread, whose number is the process's (in the child of a fork, too), has the program's.
// Context: any.
struct StackBoundsLookup {
  ProcessId pid;
  StackRange main;

  // It grows down from where the program's arguments lie; the kernel keeps at least 128 MiB below it free of other
  // mappings.
  static StackRange MainBelow(uintptr_t stack_high) {
    constexpr uintptr_t kReach = uintptr_t{100} << 20;
    return {stack_high == 0 ? 0 : stack_high - kReach, stack_high};
  }

  // `slot`: the thread's, or null. {0, 0}: unknown.
  StackRange Of(ThreadId tid, const ThreadSlot* slot) const {
    if (slot != nullptr && slot->stack_high != 0) return {slot->stack_low, slot->stack_high};
    return tid.ToNumber() == pid.ToNumber() ? main : StackRange{0, 0};
  }

  // Of a thread that nobody announced, whose stack was read at `sp` down to its outermost frame, in the mapping
  // `region`: from here to the page of that frame it is in use, and stays so while the thread runs on it. Not to the
  // ends of the mapping: the kernel merges neighbours, coroutines' stacks among them, and the program may unmap one of
  // them. So a thread that was never seen so deep has one page copied. `before`: what was known.
  static StackRange Learnt(const ModuleTable::Region* region, StackRange before, uint64_t sp, uint64_t outermost_sp) {
    const uint64_t high = RoundUpTo(outermost_sp + 1, kPageBytes);
    if (region == nullptr || !region->readable || !region->writable || high > region->end_avma) return before;
    const uint64_t page = sp & ~uint64_t{kPageBytes - 1};
    const bool is_same = before.high == high && before.low < page;
    return is_same ? before : StackRange{page, high};
  }
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_STACKS_STACK_BOUNDS_LOOKUP_H_
