#ifndef GECKOPROF_BASEPROFILER_LABELS_DEAD_STACK_H_
#define GECKOPROF_BASEPROFILER_LABELS_DEAD_STACK_H_

#include <cstdint>

#include "geckoprof/labels/profiling_stack.h"
#include "geckoprof/threads/thread_slot.h"
#include "recording/recording_state.h"

namespace geckoprof {

// DeadStack: where on the calling thread's stacks nothing lives, seen from a call that is open: what a longjmp left
// behind lies there.
//
//   the thread's own stack, growing down      its alternate stack for signals
//   | callers ... | ... what lived below
//                 ^ stack_pointer
//     alive         dead                      dead while nobody is on it
//
// From the alternate stack, which may lie in an array on the thread's own, from any other stack (a coroutine's), and
// where nobody told us the bounds: nothing is known to be dead. The kernel is asked for the alternate stack once, where
// an address may be dead. Threads: one. Context: any, signal context included.
class DeadStack {
 public:
  // `slot`: the calling thread's.
  DeadStack(const ThreadSlot& slot, uintptr_t stack_pointer)
      : stack_(RecordingState::Get().StackOf(slot)),
        below_(ProfilingStack::DeadBelow(stack_pointer, stack_.low, stack_.high)) {}

  bool Holds(uintptr_t address);

 private:
  void AskForAlternate();

  const StackRange stack_;
  const ProfilingStack::DeadRange below_;
  ProfilingStack::DeadRange alternate_;
  bool asked_ = false;
  bool is_on_alternate_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_LABELS_DEAD_STACK_H_
