#ifndef GECKOPROF_BASEPROFILER_MARKERS_TIME_CONVERSION_H_
#define GECKOPROF_BASEPROFILER_MARKERS_TIME_CONVERSION_H_

#include <cstdint>

#include "geckoprof/segment/clock_pair.h"

namespace geckoprof {

// TimeConversion converts times of markers (marker_abi.h) to nanoseconds for the program itself. It takes the counter's
// rate from the first pair of clocks of the process and the current time, so it becomes more exact with time. The
// reader does not use it, because it knows pairs of the whole recording.
//
// Threads: the sampler calls SetFirst, before markers have times of the counter. Any thread may call the other
// functions. Context: signal safe.
class TimeConversion {
 public:
  static void SetFirst(const ClockPair& first);
  static int64_t NsBetween(uint64_t start, uint64_t end);
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_TIME_CONVERSION_H_
