// When a marker is, and what it is about. Names follow the original's (mozglue/baseprofiler, BaseProfilerMarkers).
#ifndef GECKOPROF_BASEPROFILER_MARKER_OPTIONS_H_
#define GECKOPROF_BASEPROFILER_MARKER_OPTIONS_H_

#include <cstdint>
#include <type_traits>
#include <utility>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/base_profiler_ids.h"
#include "baseprofiler/category.h"
#include "baseprofiler/enabled.h"
#include "baseprofiler/flow.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_stack.h"
#include "baseprofiler/time_stamp.h"

namespace geckoprof {

// When, and which part of an interval. Halves of intervals are paired by the viewer, by name within a thread.
//
// A time that is null, as one that was never taken, is now; the start of an interval is its end then.
struct MarkerTiming {
  enum class Phase : uint32_t { Instant = 0, Interval = 1, IntervalStart = 2, IntervalEnd = 3 };

  uint32_t phase = 0;
  TimeStamp start, end;

  static MarkerTiming InstantAt(TimeStamp time) { return At(0, time.OrNow()); }
  static MarkerTiming InstantNow() { return At(0, TimeStamp::Now()); }
  static MarkerTiming Interval(TimeStamp start, TimeStamp end) { return Between(start, end.OrNow()); }
  static MarkerTiming IntervalUntilNowFrom(TimeStamp start) { return Between(start, TimeStamp::Now()); }
  static MarkerTiming IntervalStart(TimeStamp time) { return At(2, time.OrNow()); }
  static MarkerTiming IntervalStart() { return At(2, TimeStamp::Now()); }
  static MarkerTiming IntervalEnd(TimeStamp time) { return At(3, time.OrNow()); }
  static MarkerTiming IntervalEnd() { return At(3, TimeStamp::Now()); }

  // A time that the phase does not have is null.
  TimeStamp StartTime() const { return MarkerPhase() == Phase::IntervalEnd ? TimeStamp() : start; }
  TimeStamp EndTime() const { return phase % 2 == 0 ? TimeStamp() : end; }
  Phase MarkerPhase() const { return static_cast<Phase>(phase); }

  // Makes it an interval, from its start.
  void SetIntervalEnd(TimeStamp time = TimeStamp::Now()) { *this = Interval(start, time); }

  // This one, whose times may have been set one by one, with now in place of what is null.
  MarkerTiming OrNow() const {
    if (phase == 1) return Between(start, end.OrNow());
    return phase == 3 ? At(3, end.IsNull() ? start.OrNow() : end) : At(phase, start.OrNow());
  }

 private:
  static MarkerTiming At(uint32_t phase, TimeStamp time) { return {phase, time, time}; }
  static MarkerTiming Between(TimeStamp start, TimeStamp end) { return {1, start.IsNull() ? end : start, end}; }
};

template <typename Tag, typename Number>
class Id;  // the full library's ids
struct ThreadIdTag;

// The thread that a marker is about, by the kernel's id. A negative one is nobody's: the calling one.
class MarkerThreadId {
 public:
  constexpr MarkerThreadId() = default;  // the calling one
  explicit constexpr MarkerThreadId(int32_t tid) : tid_(tid < 0 ? 0 : tid) {}
  // What profiler_current_thread_id() and its like return.
  template <typename Tag>
  requires std::is_same_v<Tag, ThreadIdTag>
  explicit constexpr MarkerThreadId(const Id<Tag, int32_t>& tid) : tid_(tid.ToNumber()) {}
  template <typename Thread>
  requires std::is_same_v<Thread, unsigned long>
  explicit MarkerThreadId(Thread) = delete;  // a pthread_t is no id of the kernel's
  explicit constexpr MarkerThreadId(baseprofiler::BaseProfilerThreadId id) : MarkerThreadId(id.ToNumber()) {}
  static MarkerThreadId CurrentThread() { return MarkerThreadId(baseprofiler::profiler_current_thread_id<0>()); }
  static MarkerThreadId MainThread() { return MarkerThreadId(baseprofiler::profiler_main_thread_id<0>()); }
  constexpr bool IsUnspecified() const { return tid_ == 0; }
  constexpr int32_t tid() const { return tid_; }

 private:
  int32_t tid_ = 0;
};

// What MarkerOptions are made of.
template <typename Part>
concept MarkerOption =
    std::is_same_v<Part, MarkerTiming> || std::is_same_v<Part, MarkerThreadId> || std::is_same_v<Part, MarkerStack> ||
    std::is_same_v<Part, MarkerFlow> || std::is_same_v<Part, baseprofiler::Category>;

// MarkerOptions: any of the above, a category, and a MarkerFlow (flow.h), in any order:
// MarkerOptions(MarkerTiming::IntervalUntilNowFrom(start), MarkerThreadId::MainThread()), or {} for an instant now on
// the calling thread.
class MarkerOptions {
 public:
  MarkerOptions() {}  // NOLINT: not "= default", by which {} would first fill all of it with zeros
  template <typename... Parts>
  requires(sizeof...(Parts) > 0) GECKOPROF_ATTRIBUTE_(always_inline)
  MarkerOptions(Parts&&... parts) {  // NOLINT: implicit, as in the original
    (Set(std::forward<Parts>(parts)), ...);
  }

  MarkerOptions& Set(const MarkerTiming& timing) {
    timing_ = timing.OrNow();
    has_timing_ = true;
    is_timing_changed_ = false;
    return *this;
  }
  MarkerOptions& Set(MarkerThreadId thread) {
    thread_ = thread;
    return *this;
  }
  MarkerOptions& Set(MarkerStack stack) {
    stack_ = std::move(stack);
    return *this;
  }
  // In place of the category that the marker is made with.
  MarkerOptions& Set(baseprofiler::Category category) {
    category_ = category;
    has_category_ = true;
    return *this;
  }
  MarkerOptions& Set(MarkerFlow flow) {
    flow_ = flow;
    return *this;
  }
  MarkerOptions& Set(const MarkerOptions& other) { return *this = other; }
  template <typename Part>
  MarkerOptions& Set(const Part&) {
    static_assert(
        MarkerOption<Part>,
        "an option of markers is a MarkerTiming, a MarkerThreadId, a MarkerStack, a MarkerFlow or a category: "
        "of a time MarkerTiming::InstantAt(time) or IntervalUntilNowFrom(time), of a flow MarkerFlow(flow)");
    return *this;
  }

  MarkerThreadId ThreadId() const { return thread_; }
  bool HasTiming() const { return has_timing_; }
  bool IsTimingUnspecified() const { return !has_timing_; }
  // A scope's: they begin at its begin, if not before, and are intervals at its end, for which they keep what they say.
  void BeginScope() {
    stack_.Keep();
    timing_ = Timing();
    has_timing_ = true;
    is_timing_changed_ = false;
  }
  void EndScope() { timing_ = MarkerTiming::IntervalUntilNowFrom(timing_.start); }
  const MarkerStack& Stack() const { return stack_; }
  GECKOPROF_ATTRIBUTE_(always_inline) MarkerTiming Timing() const {
    if (is_timing_changed_) return OrNow(timing_.phase, timing_.start, timing_.end);
    return has_timing_ ? timing_ : MarkerTiming::InstantNow();
  }
  bool HasCategory() const { return has_category_; }
  baseprofiler::Category Category() const { return category_; }
  MarkerFlow Flow() const { return flow_; }
  // To be changed: options.TimingRef().SetIntervalEnd(). A time that is null is now, when the marker is made.
  MarkerThreadId& ThreadIdRef() { return thread_; }
  MarkerTiming& TimingRef() {
    has_timing_ = is_timing_changed_ = true;
    return timing_;
  }
  MarkerStack& StackRef() { return stack_; }
  MarkerFlow& FlowRef() { return flow_; }
  // Nothing but the timing is set.
  bool IsPlain() const { return thread_.IsUnspecified() && stack_.IsNoStack() && !has_category_ && flow_.IsNoFlow(); }
  bool IsDefault() const { return IsPlain() && !has_timing_; }

 private:
  // Apart, and not of `timing_` where it is: options of which the compiler knows all are in no memory.
  GECKOPROF_ATTRIBUTE_(noinline, cold) static MarkerTiming OrNow(uint32_t phase, TimeStamp start, TimeStamp end) {
    return MarkerTiming{phase, start, end}.OrNow();
  }

  MarkerTiming timing_;
  MarkerThreadId thread_;
  MarkerStack stack_;
  MarkerFlow flow_;
  baseprofiler::Category category_ = {};
  bool has_timing_ = false, is_timing_changed_ = false, has_category_ = false;
};

#if GECKOPROF_IS_ENABLED_
namespace internal {

// As of a MarkerName.
__attribute__((always_inline)) inline MarkerOptions Copy(const MarkerOptions& options) {
  const bool is_default = options.IsDefault();
  return __builtin_constant_p(is_default) && is_default ? MarkerOptions() : MarkerOptions(options);
}

}  // namespace internal
#endif

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKER_OPTIONS_H_
