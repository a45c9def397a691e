#ifndef GECKOPROF_BASEPROFILER_STACKS_PROBED_STACK_BOUNDS_H_
#define GECKOPROF_BASEPROFILER_STACKS_PROBED_STACK_BOUNDS_H_

#include <cstdint>

#include "geckoprof/signal/capture_buffer.h"

namespace geckoprof {

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

#endif  // GECKOPROF_BASEPROFILER_STACKS_PROBED_STACK_BOUNDS_H_
