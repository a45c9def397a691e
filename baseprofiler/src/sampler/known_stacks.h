#ifndef GECKOPROF_BASEPROFILER_SAMPLER_KNOWN_STACKS_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_KNOWN_STACKS_H_

#include <cstdint>

#include "geckoprof/base/ids.h"
#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/threads/thread_slot.h"

namespace geckoprof {

// KnownStacks: where a thread's stack lies, as far as anybody told us: of threads that pthread_create made their slots
// know it, and the main thread, whose number is the process's (in the child of a fork, too), has the program's.
// Context: any.
struct KnownStacks {
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
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_KNOWN_STACKS_H_
