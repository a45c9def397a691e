// When a marker is, and what it is about. Names follow the original's (mozglue/baseprofiler, BaseProfilerMarkers).
#ifndef GECKOPROF_BASEPROFILER_MARKER_OPTIONS_H_
#define GECKOPROF_BASEPROFILER_MARKER_OPTIONS_H_

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <type_traits>
#include <utility>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/category.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_stack.h"

namespace geckoprof {

// A moment, as cheaply as the machine tells it: for markers, not for arithmetic.
class TimeStamp {
 public:
  constexpr TimeStamp() = default;
  constexpr TimeStamp(int64_t monotonic_ns)  // NOLINT: implicit: ns on CLOCK_MONOTONIC
      : time_(monotonic_ns < 0 ? 0 : static_cast<geckoprof_time>(monotonic_ns)) {}
  static TimeStamp Now() { return FromTime(geckoprof_base_time()); }
  static constexpr TimeStamp FromTime(geckoprof_time time) {
    TimeStamp stamp;
    stamp.time_ = time;
    return stamp;
  }
  constexpr geckoprof_time time() const { return time_; }
  constexpr bool IsNull() const { return time_ == 0; }

 private:
  geckoprof_time time_ = 0;
};

// When, and which part of an interval. Halves of intervals are paired by the viewer, by name within a thread.
struct MarkerTiming {
  uint32_t phase = 0;
  TimeStamp start, end;

  static MarkerTiming InstantAt(TimeStamp time) { return {0, time, time}; }
  static MarkerTiming InstantNow() { return InstantAt(TimeStamp::Now()); }
  static MarkerTiming Interval(TimeStamp start, TimeStamp end) { return {1, start, end}; }
  static MarkerTiming IntervalUntilNowFrom(TimeStamp start) { return {1, start, TimeStamp::Now()}; }
  static MarkerTiming IntervalStart(TimeStamp time) { return {2, time, time}; }
  static MarkerTiming IntervalStart() { return IntervalStart(TimeStamp::Now()); }
  static MarkerTiming IntervalEnd(TimeStamp time) { return {3, time, time}; }
  static MarkerTiming IntervalEnd() { return IntervalEnd(TimeStamp::Now()); }
};

template <typename Tag, typename Number>
class Id;  // the full library's ids
struct ThreadIdTag;

// The thread that a marker is about, by the kernel's id.
class MarkerThreadId {
 public:
  constexpr MarkerThreadId() = default;  // the calling one
  explicit constexpr MarkerThreadId(int32_t tid) : tid_(tid) {}
  // What profiler_current_thread_id() and its like return.
  template <typename Tag>
  requires std::is_same_v<Tag, ThreadIdTag>
  explicit constexpr MarkerThreadId(const Id<Tag, int32_t>& tid) : tid_(tid.ToNumber()) {}
  static MarkerThreadId CurrentThread() { return MarkerThreadId(static_cast<int32_t>(syscall(SYS_gettid))); }
  static MarkerThreadId MainThread() { return MarkerThreadId(static_cast<int32_t>(getpid())); }
  constexpr bool IsUnspecified() const { return tid_ == 0; }
  constexpr int32_t tid() const { return tid_; }

 private:
  int32_t tid_ = 0;
};

// MarkerOptions: any of the above, and a category, in any order:
// MarkerOptions(MarkerTiming::IntervalUntilNowFrom(start), MarkerThreadId::MainThread()), or {} for an instant now on
// the calling thread.
class MarkerOptions {
 public:
  MarkerOptions() = default;
  template <typename... Parts>
  requires(sizeof...(Parts) > 0) MarkerOptions(Parts&&... parts) {  // NOLINT: implicit, as in the original
    (Set(std::forward<Parts>(parts)), ...);
  }

  MarkerOptions& Set(const MarkerTiming& timing) {
    timing_ = timing;
    has_timing_ = true;
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
  MarkerOptions& Set(const MarkerOptions& other) { return *this = other; }

  MarkerThreadId ThreadId() const { return thread_; }
  bool HasTiming() const { return has_timing_; }
  const MarkerStack& Stack() const { return stack_; }
  MarkerTiming Timing() const { return has_timing_ ? timing_ : MarkerTiming::InstantNow(); }
  bool HasCategory() const { return has_category_; }
  baseprofiler::Category Category() const { return category_; }
  // Nothing but the timing is set.
  bool IsPlain() const { return thread_.IsUnspecified() && stack_.IsNoStack() && !has_category_; }

 private:
  MarkerTiming timing_;
  MarkerThreadId thread_;
  MarkerStack stack_;
  baseprofiler::Category category_ = {};
  bool has_timing_ = false, has_category_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKER_OPTIONS_H_
