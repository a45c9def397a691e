#ifndef GECKOPROF_BASEPROFILER_LABELS_DEAD_LABELS_H_
#define GECKOPROF_BASEPROFILER_LABELS_DEAD_LABELS_H_

#include <cstdint>

#include "baseprofiler/label_abi.h"
#include "geckoprof/labels/profiling_stack.h"

namespace geckoprof {

// What a longjmp over open labels left on the calling thread's stack of labels: popped, as far as it is known to be
// dead, seen from a function that is about to open a label:
//
//   the thread's own stack, growing down      | callers ... | this function's frame | what lived below
//                                     frame_end ^    stack_pointer ^
//                                   alive          of this call: alive          dead
//                                                  of another:   dead
//
// A call is known by where it returns to; of two with the same frame and place to return to, the label that was opened
// by the same code, at the same place, was left open, and so was what was opened inside of it. What is outside of it
// may be this call's: it may have called setjmp after that. Outside of the frame: see DeadStack.
//
// Context: any, signal context included.
void DropDeadLabels(ProfilingStack& labels, const geckoprof_label_scope& scope);

// The same, of whatever the thread has open, by a function that opens none: its frame ends at `stack_pointer`.
void DropOwnDeadLabels(uintptr_t stack_pointer);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_LABELS_DEAD_LABELS_H_
