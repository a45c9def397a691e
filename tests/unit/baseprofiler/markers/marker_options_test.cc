#include "baseprofiler/marker_options.h"

#include <catch2/catch.hpp>

#include "baseprofiler/detail/auto_marker.h"

namespace geckoprof {
namespace {

constexpr int64_t kEarly = 1'000, kLate = 2'000;

bool Is(const MarkerTiming& timing, uint32_t phase, TimeStamp start, TimeStamp end) {
  return timing.phase == phase && timing.start == start && timing.end == end;
}

TEST_CASE("an instant becomes an interval, in options too") {
  MarkerTiming timing = MarkerTiming::InstantAt(kEarly);
  timing.SetIntervalEnd(kLate);
  CHECK(Is(timing, 1, kEarly, kLate));
  timing.SetIntervalEnd();
  CHECK((timing.start == TimeStamp(kEarly) && timing.end > TimeStamp(kLate)));
  timing.SetIntervalEnd(TimeStamp());
  CHECK(timing.end > TimeStamp(kLate));
  MarkerOptions options(MarkerTiming::InstantAt(kEarly));
  options.TimingRef().SetIntervalEnd(kLate);
  CHECK(Is(options.Timing(), 1, kEarly, kLate));
  options.Set(MarkerTiming::InstantAt(kLate));
  CHECK(Is(options.Timing(), 0, kLate, kLate));
}

TEST_CASE("a marker's timing has the times of its phase, and options are unspecified until one is set") {
  using Phase = MarkerTiming::Phase;
  const auto is = [](const MarkerTiming& timing, Phase phase, TimeStamp start, TimeStamp end) {
    return timing.MarkerPhase() == phase && timing.StartTime() == start && timing.EndTime() == end;
  };
  CHECK(is(MarkerTiming::InstantAt(kEarly), Phase::Instant, kEarly, {}));
  CHECK(is(MarkerTiming::Interval(kEarly, kLate), Phase::Interval, kEarly, kLate));
  CHECK(is(MarkerTiming::IntervalStart(kEarly), Phase::IntervalStart, kEarly, {}));
  CHECK(is(MarkerTiming::IntervalEnd(kLate), Phase::IntervalEnd, {}, kLate));
  MarkerOptions options;
  CHECK(options.IsTimingUnspecified());
  options.Set(MarkerTiming::InstantNow());
  CHECK_FALSE(options.IsTimingUnspecified());
}

TEST_CASE("no duration is longer than that without end") {
  CHECK(TimeDuration::Forever() == TimeDuration::FromSeconds(1e300));
  CHECK(TimeStamp::Now() + TimeDuration::Forever() > TimeStamp::Now());
}

TEST_CASE("a time that is set to null by reference is now, and options that were changed are kept") {
  MarkerOptions options;
  CHECK(options.IsDefault());
  const TimeStamp before = TimeStamp::Now();
  options.TimingRef().phase = 1;
  CHECK((options.HasTiming() && !options.IsDefault() && options.IsPlain()));
  CHECK((options.Timing().start >= before && options.Timing().end >= before));
  options.TimingRef().end = kLate;
  CHECK(Is(internal::Copy(options).Timing(), 1, kLate, kLate));
  options.TimingRef() = {};
  CHECK((options.Timing().phase == 0 && options.Timing().start >= before));
  MarkerOptions set_before(MarkerTiming::InstantAt(kEarly));
  set_before.TimingRef().start = {};
  CHECK(set_before.Timing().start >= before);
}

TEST_CASE("a scope begins where its options say, or else now, and is an interval at its end") {
  const TimeStamp before = TimeStamp::Now();
  MarkerOptions given(MarkerTiming::InstantAt(kEarly)), changed, none;
  changed.TimingRef().phase = 1;
  for (MarkerOptions* options : {&given, &changed, &none}) {
    options->BeginScope();
    const TimeStamp begun = TimeStamp::Now();
    options->EndScope();
    const MarkerTiming timing = options->Timing();
    CHECK((timing.phase == 1 && timing.end >= begun));
    CHECK((options == &given ? timing.start == TimeStamp(kEarly) : timing.start >= before && timing.start <= begun));
  }
}

TEST_CASE("the other options are changed by reference as they are set") {
  MarkerOptions options;
  options.ThreadIdRef() = MarkerThreadId(77);
  CHECK((options.ThreadId().tid() == 77 && !options.IsPlain()));
  options.StackRef() = MarkerStack::Capture(StackCaptureOptions::NonNative);
  CHECK(options.Stack().flags() == GECKOPROF_MARKER_WITH_LABELS);
  options.FlowRef() = MarkerFlow(Flow::Global(5));
  CHECK(options.Flow().id() == 5);
}

}  // namespace
}  // namespace geckoprof
