// Moments and durations for markers. Names follow the original's (mozglue/misc, TimeStamp).
#ifndef GECKOPROF_BASEPROFILER_TIME_STAMP_H_
#define GECKOPROF_BASEPROFILER_TIME_STAMP_H_

#include <chrono>
#include <compare>
#include <cstdint>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/marker_abi.h"

namespace geckoprof {

// The standard's nanoseconds with the original's makers and questions. What 64 bits of ns do not hold (292 years) is
// the longest that they do, and what is no number is none.
class TimeDuration : public std::chrono::nanoseconds {
 public:
  constexpr TimeDuration() : std::chrono::nanoseconds(0) {}
  template <typename Rep, typename Period>
  constexpr TimeDuration(const std::chrono::duration<Rep, Period>& other)  // NOLINT: implicit: it is one
      : std::chrono::nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(other)) {}
  static constexpr TimeDuration FromSeconds(double seconds) { return FromNs(seconds * 1e9); }
  static constexpr TimeDuration FromMilliseconds(double milliseconds) { return FromNs(milliseconds * 1e6); }
  static constexpr TimeDuration FromMicroseconds(double microseconds) { return FromNs(microseconds * 1e3); }
  static constexpr TimeDuration Zero() { return {}; }
  static constexpr TimeDuration Forever() { return std::chrono::nanoseconds::max(); }
  constexpr double ToSeconds() const { return static_cast<double>(count()) / 1e9; }
  constexpr double ToMilliseconds() const { return static_cast<double>(count()) / 1e6; }
  constexpr double ToMicroseconds() const { return static_cast<double>(count()) / 1e3; }
  constexpr bool IsZero() const { return count() == 0; }

 private:
  static constexpr TimeDuration FromNs(double ns) {
    constexpr double kLimit = 0x1p63;
    if (ns != ns) return {};
    if (ns >= kLimit) return std::chrono::nanoseconds::max();
    return ns < -kLimit ? std::chrono::nanoseconds::min() : std::chrono::nanoseconds(static_cast<int64_t>(ns));
  }
};

// A moment, as cheaply as the machine tells it. Of ns: from 1 to INT64_MAX / 2 (146 years). 0 is null, what is less is
// 1, and what is more is shown as the latest and counted (late-marker).
//
// Differences and sums of moments that were taken while something is recorded read both clocks, some 60 ns. So do
// comparisons of one of them with one that was taken before or is a sum; others compare two numbers. A null one is
// before all others, and its difference from any other is zero.
class TimeStamp {
 public:
  constexpr TimeStamp() = default;
  constexpr TimeStamp(int64_t monotonic_ns)  // NOLINT: implicit: ns on CLOCK_MONOTONIC
      : time_(monotonic_ns < 0 ? 1 : static_cast<geckoprof_time>(monotonic_ns)) {}
  static TimeStamp Now() {
    const geckoprof_time time = geckoprof_base_time();
#if GECKOPROF_IS_ENABLED_ && !defined(GECKOPROF_SHIM)
    if (time == 0) __builtin_unreachable();  // so that nobody looks at it again; without a library it may be
#endif
    return FromTime(time);
  }
  static TimeStamp NowUnfuzzed() { return Now(); }  // no time is fuzzed here
  static TimeStamp NowLoRes() { return Now(); }     // nor is there a coarser one
  // What profiler_time counts from. Null without a library.
  static TimeStamp ProcessCreation() { return geckoprof_base_process_start(); }
  static constexpr TimeStamp FromTime(geckoprof_time time) {
    TimeStamp stamp;
    stamp.time_ = time;
    return stamp;
  }
  constexpr geckoprof_time time() const { return time_; }
  constexpr bool IsNull() const { return time_ == 0; }
  // This one, or else now.
  TimeStamp OrNow() const { return IsNull() ? Now() : *this; }

  friend TimeDuration operator-(TimeStamp end, TimeStamp start) {
    return std::chrono::nanoseconds(geckoprof_base_ns_between(start.time_, end.time_));
  }
  friend TimeStamp operator+(TimeStamp stamp, TimeDuration duration) { return stamp.Moved(duration.count()); }
  friend TimeStamp operator-(TimeStamp stamp, TimeDuration duration) {
    // Of the least there is no negative; either is farther than any moment.
    return stamp.Moved(duration.count() == INT64_MIN ? INT64_MAX : -duration.count());
  }
  TimeStamp& operator+=(TimeDuration duration) { return *this = *this + duration; }
  TimeStamp& operator-=(TimeDuration duration) { return *this = *this - duration; }
  friend bool operator==(TimeStamp a, TimeStamp b) { return std::is_eq(a <=> b); }
  friend std::strong_ordering operator<=>(TimeStamp a, TimeStamp b) {
    if (a.IsNull() || b.IsNull() || (a.time_ ^ b.time_) >> 63 == 0) return a.time_ <=> b.time_;
    // Of the two clocks none are equal, so that there is one order: within a ns that of the counter is the later.
    const int64_t ns = geckoprof_base_ns_between(b.time_, a.time_);
    return ns != 0 ? ns <=> 0 : a.time_ <=> b.time_;
  }

 private:
  // A null one stays null.
  TimeStamp Moved(int64_t ns) const {
    if (IsNull() || ns == 0) return *this;
    constexpr TimeStamp kFirst = 1;
    const int64_t own_ns = geckoprof_base_ns_between(kFirst.time_, time_) + 1;
    if (ns > 0 && own_ns > INT64_MAX - ns) return INT64_MAX / 2;
    return ns < 1 - own_ns ? 1 : own_ns + ns;
  }

  geckoprof_time time_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_TIME_STAMP_H_
