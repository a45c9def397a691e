// The options of a marker: its time, thread, stack, flow and category. Names follow Firefox (mozglue/baseprofiler,
// BaseProfilerMarkers).
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

// MarkerTiming is the time of a marker, and says which part of an interval it is. The viewer pairs halves of intervals
// by their name, within a thread.
//
// A null time means now. If the start of an interval is null, the start is the end.
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

  // Returns null for a time that the phase does not have.
  TimeStamp StartTime() const { return MarkerPhase() == Phase::IntervalEnd ? TimeStamp() : start; }
  TimeStamp EndTime() const { return phase % 2 == 0 ? TimeStamp() : end; }
  Phase MarkerPhase() const { return static_cast<Phase>(phase); }

  // Makes this timing an interval that begins at its start.
  void SetIntervalEnd(TimeStamp time = TimeStamp::Now()) { *this = Interval(start, time); }

  // Returns this timing with now in place of null times. The program may have set the times one by one.
  MarkerTiming OrNow() const {
    if (phase == 1) return Between(start, end.OrNow());
    return phase == 3 ? At(3, end.IsNull() ? start.OrNow() : end) : At(phase, start.OrNow());
  }

 private:
  static MarkerTiming At(uint32_t phase, TimeStamp time) { return {phase, time, time}; }
  static MarkerTiming Between(TimeStamp start, TimeStamp end) { return {1, start.IsNull() ? end : start, end}; }
};

template <typename Tag, typename Number>
class Id;  // The full library's ids.
struct ThreadIdTag;

// MarkerThreadId is the kernel's id of the thread that a marker is about. 0 and negative ids mean the calling thread.
class MarkerThreadId {
 public:
  constexpr MarkerThreadId() = default;
  explicit constexpr MarkerThreadId(int32_t tid) : tid_(tid < 0 ? 0 : tid) {}
  // For the results of profiler_current_thread_id() and of similar functions of the full library.
  template <typename Tag, typename = std::enable_if_t<std::is_same_v<Tag, ThreadIdTag>>>
  explicit constexpr MarkerThreadId(const Id<Tag, int32_t>& tid) : tid_(tid.ToNumber()) {}
  template <typename Thread, typename = std::enable_if_t<std::is_same_v<Thread, unsigned long>>>
  explicit MarkerThreadId(Thread) = delete;  // A pthread_t is not an id of the kernel.
  explicit constexpr MarkerThreadId(baseprofiler::BaseProfilerThreadId id) : MarkerThreadId(id.ToNumber()) {}
  static MarkerThreadId CurrentThread() { return MarkerThreadId(baseprofiler::profiler_current_thread_id<0>()); }
  static MarkerThreadId MainThread() { return MarkerThreadId(baseprofiler::profiler_main_thread_id<0>()); }
  constexpr bool IsUnspecified() const { return tid_ == 0; }
  constexpr int32_t tid() const { return tid_; }

 private:
  int32_t tid_ = 0;
};

// MarkerOptions are any of the above, a category, a MarkerStack and a MarkerFlow (flow.h), in any order. {} is an
// instant now on the calling thread.
//
//   MarkerOptions(MarkerTiming::IntervalUntilNowFrom(start), MarkerThreadId::MainThread())
class MarkerOptions {
 public:
  MarkerOptions() {}  // NOLINT: With "= default", {} would first fill the object with zeros.
  template <typename First, typename... Rest>
  GECKOPROF_ATTRIBUTE_(always_inline)
  MarkerOptions(First&& first, Rest&&... rest) {  // NOLINT: implicit, as in Firefox
    Set(std::forward<First>(first));
    (Set(std::forward<Rest>(rest)), ...);
  }

  MarkerOptions& Set(const MarkerTiming& timing) {
    timing_ = timing.OrNow();
    timing_state_ = TimingState::kSet;
    return *this;
  }
  MarkerOptions& Set(MarkerThreadId thread) {
    thread_ = thread;
    return *this;
  }
  MarkerOptions& Set(const MarkerStack& stack) {
    stack_ = stack;
    return *this;
  }
  // Replaces the category that the marker is made with.
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
        sizeof(Part) == 0,
        "an option of markers is a MarkerTiming, a MarkerThreadId, a MarkerStack, a MarkerFlow or a category: "
        "of a time MarkerTiming::InstantAt(time) or IntervalUntilNowFrom(time), of a flow MarkerFlow(flow)");
    return *this;
  }

  MarkerThreadId ThreadId() const { return thread_; }
  bool HasTiming() const { return timing_state_ != TimingState::kNone; }
  bool IsTimingUnspecified() const { return timing_state_ == TimingState::kNone; }
  // The options of a scope's marker are copied at the begin of the scope. If they have no time, that is its start.
  void BeginScope() {
    stack_.Keep();
    timing_ = Timing();
    timing_state_ = TimingState::kSet;
  }
  // The marker becomes an interval from its start. The library reads the clock for its end.
  void EndScope() {
    timing_ = {1, timing_.start, {}};
    timing_state_ = TimingState::kEndsNow;
  }
  bool EndsNow() const { return timing_state_ == TimingState::kEndsNow; }
  TimeStamp ScopeStart() const { return timing_.start; }
  const MarkerStack& Stack() const { return stack_; }
  GECKOPROF_ATTRIBUTE_(always_inline) MarkerTiming Timing() const {
    if (timing_state_ >= TimingState::kChanged) return OrNow(timing_.phase, timing_.start, timing_.end);
    return HasTiming() ? timing_ : MarkerTiming::InstantNow();
  }
  bool HasCategory() const { return has_category_; }
  baseprofiler::Category Category() const { return category_; }
  MarkerFlow Flow() const { return flow_; }
  // For changes, as in options.TimingRef().SetIntervalEnd(). A null time means the time at which the marker is made.
  MarkerThreadId& ThreadIdRef() { return thread_; }
  MarkerTiming& TimingRef() {
    timing_state_ = TimingState::kChanged;
    return timing_;
  }
  MarkerStack& StackRef() { return stack_; }
  MarkerFlow& FlowRef() { return flow_; }
  // Returns whether no option except the timing is set.
  bool IsPlain() const { return thread_.IsUnspecified() && stack_.IsNoStack() && !has_category_ && flow_.IsNoFlow(); }
  bool IsDefault() const { return IsPlain() && IsTimingUnspecified(); }

 private:
  // kSet: no time is null. kChanged: the program may have changed it. kEndsNow: the end of a scope.
  enum class TimingState : uint8_t { kNone, kSet, kChanged, kEndsNow };

  // This function is out of line and takes the times by value. Options that the compiler knows then stay out of memory.
  GECKOPROF_ATTRIBUTE_(noinline, cold) static MarkerTiming OrNow(uint32_t phase, TimeStamp start, TimeStamp end) {
    return MarkerTiming{phase, start, end}.OrNow();
  }

  MarkerTiming timing_;
  MarkerThreadId thread_;
  MarkerStack stack_;
  MarkerFlow flow_;
  baseprofiler::Category category_ = {};
  TimingState timing_state_ = TimingState::kNone;
  bool has_category_ = false;
};

#if GECKOPROF_IS_ENABLED_

namespace internal {

// Returns a copy, as of a MarkerName.
__attribute__((always_inline)) inline MarkerOptions Copy(const MarkerOptions& options) {
  const bool is_default = options.IsDefault();
  return __builtin_constant_p(is_default) && is_default ? MarkerOptions() : MarkerOptions(options);
}

}  // namespace internal

#endif

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKER_OPTIONS_H_
