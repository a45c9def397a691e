#ifndef GECKOPROF_BASEPROFILER_MARKERS_TIME_CONVERSION_H_
#define GECKOPROF_BASEPROFILER_MARKERS_TIME_CONVERSION_H_

#include <cstdint>

#include "geckoprof/segment/clock_pair.h"

namespace geckoprof {

// TimeConversion: what times of markers (marker_abi.h) are in ns, for the program itself. The rate is that from the
// first pair of clocks that the process ever had to now, so it is the better the later one asks; the reader's, which
// knows pairs of the whole recording, is not touched by it.
//
// Threads: SetFirst: the sampler, before times may be the counter's; the rest any. Context: signal safe.
class TimeConversion {
 public:
  static void SetFirst(const ClockPair& first);
  static int64_t NsBetween(uint64_t start, uint64_t end);
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_TIME_CONVERSION_H_
