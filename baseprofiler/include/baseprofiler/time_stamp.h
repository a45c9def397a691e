// Moments and durations for markers. The names are those of Firefox (mozglue/misc, TimeStamp).
#ifndef GECKOPROF_BASEPROFILER_TIME_STAMP_H_
#define GECKOPROF_BASEPROFILER_TIME_STAMP_H_

#include <cstdint>
#include <type_traits>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/detail/language.h"
#include "baseprofiler/enabled.h"
#include "baseprofiler/marker_abi.h"

namespace geckoprof {

namespace internal {

// A std::chrono::duration, and a TimeDuration, are recognised by their members, so that <chrono> is not needed.
template <typename Type, typename = void>
inline constexpr bool kIsDuration = false;
template <typename Type>
inline constexpr bool kIsDuration<Type, std::void_t<typename Type::rep, decltype(Type::period::num + Type::period::den),
                                                    decltype(std::declval<const Type&>().count())>> = true;

constexpr intmax_t GreatestCommonDivisor(intmax_t a, intmax_t b) {
  return b == 0 ? a : GreatestCommonDivisor(b, a % b);
}

// A tick of `Period` is kNumerator / kDenominator of the units of which a second has kPerSecond. The fraction is
// reduced. kNumerator is 0 if 64 bits do not hold it.
template <typename Period, intmax_t kPerSecond>
class TickIn {
  static constexpr intmax_t kCommon = GreatestCommonDivisor(kPerSecond, Period::den);
  static constexpr bool kHasRoom = Period::num <= INTMAX_MAX / (kPerSecond / kCommon);

 public:
  static constexpr intmax_t kNumerator = kHasRoom ? Period::num * (kPerSecond / kCommon) : 0;
  static constexpr intmax_t kDenominator = Period::den / kCommon;

  static constexpr double Convert(double ticks) {
    if constexpr (kNumerator == 0) return ticks * static_cast<double>(Period::num) * static_cast<double>(kPerSecond);
    if constexpr (kDenominator == 1) return ticks * static_cast<double>(kNumerator);
    if constexpr (kNumerator == 1) return ticks / static_cast<double>(kDenominator);
    return ticks * static_cast<double>(kNumerator) / static_cast<double>(kDenominator);
  }
};

}  // namespace internal

// TimeDuration is a duration in nanoseconds. It is made from any std::chrono::duration, and converts to those that lose
// nothing: std::chrono::nanoseconds and durations of floating point. A cast makes any other from it, and cuts the rest
// off: std::chrono::milliseconds(duration). A value beyond 64 bits of ns (292 years) becomes the longest duration, and
// a value that is not a number becomes zero.
class TimeDuration {
 public:
  using rep = int64_t;
  struct period {  // NOLINT: the name in std::chrono
    static constexpr intmax_t num = 1;
    static constexpr intmax_t den = 1'000'000'000;
  };

  constexpr TimeDuration() = default;
  template <typename Duration, typename = std::enable_if_t<internal::kIsDuration<Duration>>>
  constexpr TimeDuration(const Duration& other) : ns_(ToNs(other)) {}  // NOLINT: implicit, as among std's durations
  template <typename Duration, std::enable_if_t<internal::kIsDuration<Duration>, int> = 0,
            std::enable_if_t<std::is_floating_point_v<typename Duration::rep> ||
                                 (Duration::period::num == 1 && Duration::period::den % period::den == 0),
                             int> = 0>
  constexpr operator Duration() const {  // NOLINT: implicit, as above
    return To<Duration>();
  }
  template <typename Duration, std::enable_if_t<internal::kIsDuration<Duration>, int> = 0,
            std::enable_if_t<!std::is_floating_point_v<typename Duration::rep> &&
                                 (Duration::period::num != 1 || Duration::period::den % period::den != 0),
                             int> = 0>
  explicit constexpr operator Duration() const {
    return To<Duration>();
  }

  static constexpr TimeDuration FromSeconds(double seconds) { return FromNs(seconds * 1e9); }
  static constexpr TimeDuration FromMilliseconds(double milliseconds) { return FromNs(milliseconds * 1e6); }
  static constexpr TimeDuration FromMicroseconds(double microseconds) { return FromNs(microseconds * 1e3); }
  static constexpr TimeDuration Zero() { return {}; }
  static constexpr TimeDuration Forever() { return Of(INT64_MAX); }
  static constexpr TimeDuration FromNanoseconds(int64_t ns) { return Of(ns); }
  constexpr int64_t count() const { return ns_; }
  constexpr double ToSeconds() const { return static_cast<double>(ns_) / 1e9; }
  constexpr double ToMilliseconds() const { return static_cast<double>(ns_) / 1e6; }
  constexpr double ToMicroseconds() const { return static_cast<double>(ns_) / 1e3; }
  constexpr bool IsZero() const { return ns_ == 0; }

  friend constexpr bool operator==(TimeDuration a, TimeDuration b) { return a.ns_ == b.ns_; }
  friend constexpr bool operator!=(TimeDuration a, TimeDuration b) { return a.ns_ != b.ns_; }
  friend constexpr bool operator<(TimeDuration a, TimeDuration b) { return a.ns_ < b.ns_; }
  friend constexpr bool operator>(TimeDuration a, TimeDuration b) { return a.ns_ > b.ns_; }
  friend constexpr bool operator<=(TimeDuration a, TimeDuration b) { return a.ns_ <= b.ns_; }
  friend constexpr bool operator>=(TimeDuration a, TimeDuration b) { return a.ns_ >= b.ns_; }
  friend constexpr TimeDuration operator+(TimeDuration a, TimeDuration b) { return Of(a.ns_ + b.ns_); }
  friend constexpr TimeDuration operator-(TimeDuration a, TimeDuration b) { return Of(a.ns_ - b.ns_); }
  friend constexpr TimeDuration operator-(TimeDuration a) { return Of(-a.ns_); }
  friend constexpr int64_t operator/(TimeDuration a, TimeDuration b) { return a.ns_ / b.ns_; }
  friend constexpr TimeDuration operator%(TimeDuration a, TimeDuration b) { return Of(a.ns_ % b.ns_); }
  template <typename Factor, typename = std::enable_if_t<std::is_arithmetic_v<Factor>>>
  friend constexpr TimeDuration operator*(TimeDuration a, Factor factor) {
    if constexpr (std::is_floating_point_v<Factor>) return FromNs(static_cast<double>(a.ns_) * factor);
    return Of(a.ns_ * static_cast<int64_t>(factor));
  }
  template <typename Factor, typename = std::enable_if_t<std::is_arithmetic_v<Factor>>>
  friend constexpr TimeDuration operator*(Factor factor, TimeDuration a) {
    return a * factor;
  }
  template <typename Divisor, typename = std::enable_if_t<std::is_arithmetic_v<Divisor>>>
  friend constexpr TimeDuration operator/(TimeDuration a, Divisor divisor) {
    if constexpr (std::is_floating_point_v<Divisor>) return FromNs(static_cast<double>(a.ns_) / divisor);
    return Of(a.ns_ / static_cast<int64_t>(divisor));
  }
  constexpr TimeDuration& operator+=(TimeDuration other) { return *this = *this + other; }
  constexpr TimeDuration& operator-=(TimeDuration other) { return *this = *this - other; }
  template <typename Factor>
  constexpr TimeDuration& operator*=(Factor factor) {
    return *this = *this * factor;
  }
  template <typename Divisor>
  constexpr TimeDuration& operator/=(Divisor divisor) {
    return *this = *this / divisor;
  }

 private:
  static constexpr TimeDuration Of(int64_t ns) {
    TimeDuration duration;
    duration.ns_ = ns;
    return duration;
  }
  static constexpr TimeDuration FromNs(double ns) {
    constexpr double kLimit = 0x1p63;
    if (ns != ns) return {};
    if (ns >= kLimit) return Of(INT64_MAX);
    return Of(ns < -kLimit ? INT64_MIN : static_cast<int64_t>(ns));
  }
  // This is what std::chrono::duration_cast returns.
  template <typename Duration>
  static constexpr int64_t ToNs(const Duration& duration) {
    using Tick = internal::TickIn<typename Duration::period, period::den>;
    if constexpr (std::is_floating_point_v<typename Duration::rep>) {
      return static_cast<int64_t>(Tick::Convert(static_cast<double>(duration.count())));
    } else {
      return static_cast<int64_t>(duration.count()) * Tick::kNumerator / Tick::kDenominator;
    }
  }
  template <typename Duration>
  constexpr Duration To() const {
    using Rep = typename Duration::rep;
    using Tick = internal::TickIn<typename Duration::period, period::den>;
    if constexpr (std::is_floating_point_v<Rep>) {
      return Duration(static_cast<Rep>(static_cast<double>(ns_) * static_cast<double>(Tick::kDenominator) /
                                       static_cast<double>(Tick::kNumerator)));
    } else {
      return Duration(static_cast<Rep>(ns_ / Tick::kNumerator * Tick::kDenominator));
    }
  }

  int64_t ns_ = 0;
};

// TimeStamp is a moment, read as cheaply as the machine allows. Moments in ns are from 1 to INT64_MAX / 2 (146 years).
// 0 is null. A negative number becomes 1. A later moment is shown as the latest and counted (late-marker).
//
// A moment that was read while something is recorded may be in ticks. Its differences and sums read both clocks, which
// takes some 60 ns. Its comparisons with a moment in ns do the same. Other comparisons compare two numbers. A null
// moment is before all others, and its difference from any other is zero.
class TimeStamp {
 public:
  constexpr TimeStamp() = default;
  constexpr TimeStamp(int64_t monotonic_ns)  // NOLINT: implicit: ns on CLOCK_MONOTONIC
      : time_(monotonic_ns < 0 ? 1 : static_cast<geckoprof_time>(monotonic_ns)) {}
  static TimeStamp Now() {
    const geckoprof_time time = geckoprof_base_time();
#if GECKOPROF_IS_ENABLED_ && !defined(GECKOPROF_SHIM)
    if (time == 0) __builtin_unreachable();  // The compiler can drop later tests. Without a library it may be 0.
#endif
    return FromTime(time);
  }
  static TimeStamp NowUnfuzzed() { return Now(); }  // No time is fuzzed here.
  static TimeStamp NowLoRes() { return Now(); }     // There is no coarser clock.
  // Returns the moment that profiler_time counts from. It is null without a library.
  static TimeStamp ProcessCreation() { return geckoprof_base_process_start(); }
  static constexpr TimeStamp FromTime(geckoprof_time time) {
    TimeStamp stamp;
    stamp.time_ = time;
    return stamp;
  }
  constexpr geckoprof_time time() const { return time_; }
  constexpr bool IsNull() const { return time_ == 0; }
  // Returns this moment, or now if it is null.
  TimeStamp OrNow() const { return IsNull() ? Now() : *this; }

  friend TimeDuration operator-(TimeStamp end, TimeStamp start) {
    return TimeDuration::FromNanoseconds(geckoprof_base_ns_between(start.time_, end.time_));
  }
  friend TimeStamp operator+(TimeStamp stamp, TimeDuration duration) { return stamp.Moved(duration.count()); }
  friend TimeStamp operator-(TimeStamp stamp, TimeDuration duration) {
    // INT64_MIN has no negative. Both are farther than any moment.
    return stamp.Moved(duration.count() == INT64_MIN ? INT64_MAX : -duration.count());
  }
  TimeStamp& operator+=(TimeDuration duration) { return *this = *this + duration; }
  TimeStamp& operator-=(TimeDuration duration) { return *this = *this - duration; }
  friend bool operator==(TimeStamp a, TimeStamp b) { return Compare(a, b) == 0; }
  friend bool operator!=(TimeStamp a, TimeStamp b) { return Compare(a, b) != 0; }
  friend bool operator<(TimeStamp a, TimeStamp b) { return Compare(a, b) < 0; }
  friend bool operator>(TimeStamp a, TimeStamp b) { return Compare(a, b) > 0; }
  friend bool operator<=(TimeStamp a, TimeStamp b) { return Compare(a, b) <= 0; }
  friend bool operator>=(TimeStamp a, TimeStamp b) { return Compare(a, b) >= 0; }

 private:
  // Returns a number below, equal to or above 0.
  static int Compare(TimeStamp a, TimeStamp b) {
    const int by_number = a.time_ < b.time_ ? -1 : a.time_ > b.time_ ? 1 : 0;
    if (a.IsNull() || b.IsNull() || (a.time_ ^ b.time_) >> 63 == 0) return by_number;
    // Moments of the two clocks are never equal. Within the same ns, the counter's is the later.
    const int64_t ns = geckoprof_base_ns_between(b.time_, a.time_);
    return ns < 0 ? -1 : ns > 0 ? 1 : by_number;
  }
  // Returns the moment `ns` later. A null one stays null.
  TimeStamp Moved(int64_t ns) const {
    if (IsNull() || ns == 0) return *this;
    constexpr geckoprof_time kFirst = 1;
    const int64_t own_ns = geckoprof_base_ns_between(kFirst, time_) + 1;
    if (ns > 0 && own_ns > INT64_MAX - ns) return INT64_MAX / 2;
    return ns < 1 - own_ns ? 1 : own_ns + ns;
  }

  geckoprof_time time_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_TIME_STAMP_H_
