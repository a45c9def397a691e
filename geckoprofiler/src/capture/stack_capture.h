#ifndef GECKOPROF_GECKOPROFILER_CAPTURE_STACK_CAPTURE_H_
#define GECKOPROF_GECKOPROFILER_CAPTURE_STACK_CAPTURE_H_

#include "geckoprof/base/ids.h"
#include "geckoprofiler/profiler_backtrace.h"
#include "geckoprofiler/profiler_result.h"
#include "handover/base_link.h"

namespace geckoprof {

// StackCapture: one thread's stack as frames: base captures, StackUnwinder unwinds. The unwinder is one for the
// library, constant-initialised: there before any constructor and after any destructor. Threads: any. Context: not
// signal context. Lock order: base's for other threads, then the unwinder's; so who is in the unwinder asks nobody.
struct StackCapture {
  // `tid` unspecified: the calling thread.
  struct Request {
    ThreadId tid = {};
    bool native = true;
    int64_t timeout_ns = 0;
  };
  struct Taken {
    ProfilerBacktrace& frames;
    uint64_t innermost_address = 0;  // of another thread; whether or not native frames were asked for
    bool is_main = false;
  };
  static ProfilerOutcome Take(const BaseLink& base, const Request& request, Taken& taken);

  // To be called round a fork.
  static bool BeforeFork();  // what AfterFork wants to know
  static void AfterFork(bool in_child, bool held);
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CAPTURE_STACK_CAPTURE_H_
