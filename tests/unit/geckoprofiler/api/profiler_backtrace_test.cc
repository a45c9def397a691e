// The public functions where there is no base: what they do with one is tested in tests/backtrace.
#include "geckoprofiler/profiler_backtrace.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

struct Counting : ProfilerStackCollector {
  void SetIsMainThread() override { ++calls; }
  void CollectNativeLeafAddr(void*) override { ++calls; }
  void CollectProfilingStackFrame(const ProfilerLabelFrame&) override { ++calls; }
  int calls = 0;
};

TEST_CASE("without a base there are no backtraces, and sampling says why") {
  ProfilerBacktrace into;
  const UniqueProfilerBacktrace none = profiler_capture_backtrace();
  CHECK(none == nullptr);
  CHECK(profiler_get_backtrace() == nullptr);
  CHECK_FALSE(profiler_capture_backtrace_into(into, StackCaptureOptions::Full));
  CHECK(into.empty());
  Counting collector;
  CHECK(profiler_suspend_and_sample_thread(profiler_current_thread_id(), 0, collector).status ==
        ProfilerStatus::kNoBase);
  CHECK(profiler_suspend_and_sample_thread({}, 0, collector).status == ProfilerStatus::kBadArgument);
  CHECK(collector.calls == 0);
}

TEST_CASE("an empty backtrace has no frames, and may be copied and moved") {
  ProfilerBacktrace first;
  ProfilerBacktrace second = first;
  const ProfilerBacktrace third = std::move(second);
  CHECK(third.empty());
  CHECK(third.frame(0).label.empty());
  CHECK_FALSE(third.is_complete());
  CHECK_FALSE(third.thread_id().IsSpecified());
  CHECK(third.monotonic_ns() == 0);
}

}  // namespace
}  // namespace geckoprof
