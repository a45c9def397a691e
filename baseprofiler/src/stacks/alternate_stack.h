#ifndef GECKOPROF_BASEPROFILER_STACKS_ALTERNATE_STACK_H_
#define GECKOPROF_BASEPROFILER_STACKS_ALTERNATE_STACK_H_

#include "geckoprof/labels/profiling_stack.h"

namespace geckoprof {

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

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_STACKS_ALTERNATE_STACK_H_
