// geckoprofiler/profiler_backtrace.h and profiler_stack_collector.h.
#include "geckoprofiler/profiler_backtrace.h"

#include <new>

#include "capture/stack_capture.h"
#include "core/full_profiler.h"
#include "geckoprof/base/clock.h"
#include "geckoprofiler/profiler_features.h"
#include "geckoprofiler/profiler_stack_collector.h"

using geckoprof::FullProfiler;
using geckoprof::ProfilerBacktrace;
using geckoprof::StackCapture;

bool profiler_capture_backtrace_into(ProfilerBacktrace& backtrace, StackCaptureOptions options) {
  backtrace.Clear();
  FullProfiler& profiler = FullProfiler::Get();
  if ((profiler.state() & geckoprof::kStateActive) == 0 || options == StackCaptureOptions::NoStack) return false;
  const uint32_t features = profiler.active_features();
  if (ProfilerFeature::Has(features, ProfilerFeature::NoStackSampling)) return false;
  StackCapture::Request request;
  request.native = options == StackCaptureOptions::Full && ProfilerFeature::Has(features, ProfilerFeature::StackWalk);
  StackCapture::Taken taken{backtrace};
  return StackCapture::Take(profiler.base(), request, taken) && !backtrace.empty();
}

std::unique_ptr<ProfilerBacktrace> profiler_capture_backtrace() {
  if ((FullProfiler::Get().state() & geckoprof::kStateActive) == 0) return nullptr;
  auto backtrace = std::make_unique<ProfilerBacktrace>();
  if (!profiler_capture_backtrace_into(*backtrace, StackCaptureOptions::Full)) backtrace.reset();
  return backtrace;
}

std::unique_ptr<ProfilerBacktrace> profiler_get_backtrace() { return profiler_capture_backtrace(); }

geckoprof::ProfilerOutcome profiler_suspend_and_sample_thread(geckoprof::ProfilerThreadId tid, uint32_t features,
                                                              ProfilerStackCollector& collector, bool sample_native) {
  if (!tid.IsSpecified()) return {geckoprof::ProfilerStatus::kBadArgument, "the thread's id must be specified"};
  ProfilerBacktrace frames;
  StackCapture::Taken taken{frames};
  const geckoprof::ProfilerOutcome outcome =
      StackCapture::Take(FullProfiler::Get().base(), {tid, sample_native, geckoprof::kNsPerSecond}, taken);
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
