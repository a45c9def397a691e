// The public functions where there is no base: what they do with one is tested in tests/backtrace.
#include "geckoprofiler/profiler_backtrace.h"

#include <catch2/catch.hpp>

#include "geckoprofiler/profiler_stack_collector.h"

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
  into.AddAddress(1);
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

TEST_CASE("a backtrace owns its labels, also when it is moved") {
  ProfilerBacktrace first;
  first.AddAddress(0);  // none
  first.AddAddress(0x10);
  {
    const std::string label(100, 'x');
    first.AddLabel(label, 0x201);
  }
  first.AddLabel("", 0);
  first.set_complete(true);
  const ProfilerBacktrace second = std::move(first);
  REQUIRE(second.size() == 3);
  CHECK((second.frame(0).address == 0x10 && !second.frame(0).is_label()));
  CHECK((second.frame(1).is_label() && second.frame(1).label == std::string(100, 'x')));
  CHECK(second.frame(1).category_pair == 0x201);
  CHECK((second.frame(2).is_label() && second.frame(2).label.empty()));
  CHECK(second.is_complete());
}

}  // namespace
}  // namespace geckoprof
