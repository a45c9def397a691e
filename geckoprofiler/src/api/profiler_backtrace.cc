// geckoprofiler/profiler_backtrace.h and profiler_stack_collector.h.
#include "geckoprofiler/profiler_backtrace.h"

#include <new>

#include "core/full_profiler.h"
#include "geckoprof/base/clock.h"
#include "geckoprofiler/profiler_features.h"
#include "geckoprofiler/profiler_stack_collector.h"
#include "runtime/api_call.h"

using geckoprof::ApiCall;
using geckoprof::FullProfiler;
using geckoprof::ProfilerBacktrace;
using geckoprof::ProfilerStatus;
using geckoprof::StackCapture;

namespace {

bool IsActive() { return (FullProfiler::Get().state() & geckoprof::kStateActive) != 0; }

bool Capture(ProfilerBacktrace& backtrace, StackCaptureOptions options) {
  FullProfiler& profiler = FullProfiler::Get();
  if (!IsActive() || options == StackCaptureOptions::NoStack) return false;
  const uint32_t features = profiler.active_features();
  if (ProfilerFeature::Has(features, ProfilerFeature::NoStackSampling)) return false;
  StackCapture::Request request;
  request.native = options == StackCaptureOptions::Full && ProfilerFeature::Has(features, ProfilerFeature::StackWalk);
  StackCapture::Taken taken{backtrace};
  if (!profiler.stack_capture().Take(request, taken) || backtrace.empty()) return false;
  backtrace.set_captured(profiler_current_thread_id(), geckoprof::MonotonicNs());
  return true;
}

}  // namespace

bool profiler_capture_backtrace_into(ProfilerBacktrace& backtrace, StackCaptureOptions options) {
  bool captured = false;
  backtrace.Clear();
  const ProfilerStatus status = ApiCall::Run([&] { captured = Capture(backtrace, options); });
  if (status == ProfilerStatus::kNoMemory) backtrace.Clear();
  return captured;
}

std::unique_ptr<ProfilerBacktrace> profiler_capture_backtrace() {
  std::unique_ptr<ProfilerBacktrace> backtrace;
  if (!IsActive()) return backtrace;
  bool captured = false;
  (void)ApiCall::Run([&] {
    backtrace = std::make_unique<ProfilerBacktrace>();
    captured = Capture(*backtrace, StackCaptureOptions::Full);
  });
  if (!captured) backtrace.reset();
  return backtrace;
}

std::unique_ptr<ProfilerBacktrace> profiler_get_backtrace() { return profiler_capture_backtrace(); }

geckoprof::ProfilerOutcome profiler_suspend_and_sample_thread(geckoprof::ProfilerThreadId tid, uint32_t features,
                                                              ProfilerStackCollector& collector, bool sample_native) {
  if (!tid.IsSpecified()) return {ProfilerStatus::kBadArgument, "the thread's id must be specified"};
  ProfilerBacktrace frames;
  StackCapture::Taken taken{frames};
  geckoprof::ProfilerOutcome outcome = ApiCall::Outcome([&] {
    return FullProfiler::Get().stack_capture().Take(
        {geckoprof::ThreadId::FromNumber(tid.ToNumber()), sample_native, geckoprof::kNsPerSecond}, taken);
  });
  if (!outcome) return outcome;
  if (taken.is_main) collector.SetIsMainThread();
  if (ProfilerFeature::Has(features, ProfilerFeature::NoStackSampling)) return outcome;
  for (size_t i = 0; i < frames.size(); ++i) {
    const ProfilerBacktrace::Frame frame = frames.frame(i);
    if (frame.is_label()) {
      collector.CollectProfilingStackFrame({frame.label, frame.category_pair});
    } else {
      collector.CollectNativeLeafAddr(reinterpret_cast<void*>(frame.address));
    }
  }
  if (!sample_native) collector.CollectNativeLeafAddr(reinterpret_cast<void*>(taken.innermost_address));
  return outcome;
}
