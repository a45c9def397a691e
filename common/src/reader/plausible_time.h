// What the reader believes of times. A segment may say anything; tables that are made from it hold only times of a
// clock that begins with the machine and ends long before int64_t does, so that the difference of two never overflows.
#ifndef GECKOPROF_READER_PLAUSIBLE_TIME_H_
#define GECKOPROF_READER_PLAUSIBLE_TIME_H_

#include <cstdint>

namespace geckoprof {

inline constexpr int64_t kLatestNs = INT64_MAX / 2;  // 146 years; also a date until 2116

// Two readings of the clock that are made right after one another are no farther apart, however busy the machine is.
inline constexpr int64_t kMostApartNs = 60'000'000'000;

constexpr bool IsPlausibleTime(int64_t time_ns) { return time_ns >= 0 && time_ns <= kLatestNs; }

// The nearest plausible time.
constexpr int64_t PlausibleTime(int64_t time_ns) {
  if (time_ns < 0) return 0;
  return time_ns < kLatestNs ? time_ns : kLatestNs;
}
constexpr int64_t PlausibleTime(uint64_t time_ns) {
  return time_ns < static_cast<uint64_t>(kLatestNs) ? static_cast<int64_t>(time_ns) : kLatestNs;
}

// The sum, and where it lies beyond -kLatestNs or kLatestNs, that: for times that a program chose, which may lie before
// the machine's start.
constexpr int64_t PlausibleSum(int64_t base_ns, int64_t delta_ns) {
  int64_t sum_ns = 0;
  if (__builtin_add_overflow(base_ns, delta_ns, &sum_ns)) return delta_ns < 0 ? -kLatestNs : kLatestNs;
  return sum_ns < -kLatestNs ? -kLatestNs : sum_ns < kLatestNs ? sum_ns : kLatestNs;
}

}  // namespace geckoprof

#endif  // GECKOPROF_READER_PLAUSIBLE_TIME_H_
