// Another thread's stack, now: for hang monitors and the like.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_STACK_COLLECTOR_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_STACK_COLLECTOR_H_

#include <cstdint>
#include <string_view>

#include "geckoprofiler/profiler_result.h"
#include "geckoprofiler/profiler_threads.h"

#pragma GCC visibility push(default)

// A label that was open. The text is valid during the call that brings it.
struct ProfilerLabelFrame {
  std::string_view label;
  uint32_t category_pair = 0;  // category << 8 | subcategory
};

// ProfilerStackCollector: is given one thread's stack, frame by frame, outermost first.
//
// Unlike in the original the thread has gone on by then, and no lock is held: the functions may do anything. Of the
// original's functions those about positions in its ring buffer are missing, since nothing is recorded here
// (SamplePositionInBuffer, BufferRangeStart), and those about generated code of a browser (CollectJitReturnAddr,
// CollectWasmFrame).
class ProfilerStackCollector {
 public:
  virtual ~ProfilerStackCollector() = default;

  // First of all, if it is the thread that the process began with.
  virtual void SetIsMainThread() {}
  // A native frame: a return address, or where the thread was, for the innermost one.
  virtual void CollectNativeLeafAddr(void* address) = 0;
  virtual void CollectProfilingStackFrame(const ProfilerLabelFrame& frame) = 0;
};

// Samples the thread, also while nothing is recorded. The calling thread's own id: the stack is that of this call.
// - features: ProfilerFeature::NoStackSampling: nothing but SetIsMainThread; the others mean nothing here.
// - sample_native: false: labels and the innermost address.
// A thread that is blocked is read without its doing anything; one that runs is interrupted for microseconds by the
// profiler's signal, of which it notices nothing. Of a thread that runs and was made before anything was recorded only
// the innermost frames may come.
// kThreadGone: there is none of this id. kThreadDeaf: it runs, and our signals may not be sent to it. kTimeout: it did
// not answer within a second. Others: why base cannot do it. The collector is only called if the outcome is kDone.
geckoprof::ProfilerOutcome profiler_suspend_and_sample_thread(geckoprof::ProfilerThreadId tid, uint32_t features,
                                                              ProfilerStackCollector& collector,
                                                              bool sample_native = true);

#pragma GCC visibility pop

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_STACK_COLLECTOR_H_
