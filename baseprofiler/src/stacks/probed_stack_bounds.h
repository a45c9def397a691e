#ifndef GECKOPROF_BASEPROFILER_STACKS_PROBED_STACK_BOUNDS_H_
#define GECKOPROF_BASEPROFILER_STACKS_PROBED_STACK_BOUNDS_H_

#include <cstdint>

#include "geckoprof/signal/capture_buffer.h"

namespace geckoprof {

// ProbedStackBounds: where a thread's own stack lies, as it finds out itself where nobody told us: it was made while
// nothing was recorded, or not by pthread_create as we know it.
//
//   | guard | free       | frames ...       | glibc's control block |
//               |        ^ page of the sp   ^ pthread_self()
//               |        |    each page was asked for
//               ^ the range: what is called from there lies below
//
// What is in use stays so while the thread runs on it. A stack elsewhere, as a coroutine's or that for signals, is told
// by the pages between it and the control block: the thread's own guard is one of them. Threads: one owner. Context:
// any, signal context included; the kernel is asked for each page once, errno is left as it was.
class ProbedStackBounds {
 public:
  // Of the calling thread, around `sp` and what is called from there. {0, 0}: not known to be its own. `since_ns`:
  // since when the caller's thread has its slot, which was another's before.
  StackRange Around(uintptr_t sp, int64_t since_ns);

 private:
  static constexpr uint32_t kMostPages = 64;  // at once; of 4 us
  static constexpr uint32_t kMostFailures = 16;
  static constexpr uint32_t kCallBytes = 32 * 1024;  // our own frames take some KiB

  StackRange WithCalls() const;

  StackRange range_ = {0, 0};  // what was asked for
  int64_t since_ns_ = 0;
  uint32_t failures_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_STACKS_PROBED_STACK_BOUNDS_H_
