#ifndef GECKOPROF_STREAMING_RELATIVE_TIME_H_
#define GECKOPROF_STREAMING_RELATIVE_TIME_H_

#include <cstdint>

namespace geckoprof {

// time_ns - zero_ns; where that is more than an int64_t holds, the end of its range on that side.
constexpr int64_t RelativeNs(int64_t time_ns, int64_t zero_ns) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(time_ns, zero_ns, &difference)) return difference;
  return time_ns < zero_ns ? INT64_MIN : INT64_MAX;
}

}  // namespace geckoprof

#endif  // GECKOPROF_STREAMING_RELATIVE_TIME_H_
