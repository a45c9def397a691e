#ifndef GECKOPROF_GECKOPROFILER_CAPTURE_STACK_CAPTURE_H_
#define GECKOPROF_GECKOPROFILER_CAPTURE_STACK_CAPTURE_H_

#include "capture/backtrace.h"
#include "capture/stack_unwinder.h"
#include "geckoprof/base/ids.h"
#include "handover/base_link.h"
#include "runtime/outcome.h"

namespace geckoprof {

// StackCapture: one thread's stack as frames. Base captures the stack, and StackUnwinder unwinds it.
//
// Threads: any. Context: not signal context. Lock order: base's lock for other threads comes before the unwinder's, so
// a thread that is in the unwinder asks for no other thread's stack.
class StackCapture {
 public:
  // `tid` unspecified: the calling thread.
  struct Request {
    ThreadId tid = {};
    bool native = true;
    int64_t timeout_ns = 0;
  };

  // `base` must outlive this.
  explicit StackCapture(const BaseLink& base) : base_(base) {}
  // After a refusal `out` is empty.
  Outcome Capture(const Request& request, Backtrace& out);

  // The calls round a fork, as StackUnwinder has them.
  [[nodiscard]] bool BeforeFork() { return unwinder_.BeforeFork(); }
  void AfterFork(bool in_child, bool held) { unwinder_.AfterFork(in_child, held); }

 private:
  const BaseLink& base_;
  StackUnwinder unwinder_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CAPTURE_STACK_CAPTURE_H_
