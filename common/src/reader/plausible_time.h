// The times that the reader believes. A segment may say anything. The tables that are made from it hold only times of a
// clock that begins with the machine and ends long before int64_t does. The difference of two never overflows then.
#ifndef GECKOPROF_READER_PLAUSIBLE_TIME_H_
#define GECKOPROF_READER_PLAUSIBLE_TIME_H_

#include <cstdint>

namespace geckoprof {

inline constexpr int64_t kLatestNs = INT64_MAX / 2;  // 146 years; also a date until 2116

// Two readings of the clock, one right after the other, are no farther apart, even on a busy machine.
inline constexpr int64_t kMaxApartNs = 60'000'000'000;

constexpr bool IsPlausibleTime(int64_t time_ns) { return time_ns >= 0 && time_ns <= kLatestNs; }

// Returns the nearest plausible time.
constexpr int64_t PlausibleTime(int64_t time_ns) {
  if (time_ns < 0) return 0;
  return time_ns < kLatestNs ? time_ns : kLatestNs;
}
constexpr int64_t PlausibleTime(uint64_t time_ns) {
  return time_ns < static_cast<uint64_t>(kLatestNs) ? static_cast<int64_t>(time_ns) : kLatestNs;
}

}  // namespace geckoprof

#endif  // GECKOPROF_READER_PLAUSIBLE_TIME_H_
