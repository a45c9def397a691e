#ifndef GECKOPROF_BASEPROFILER_API_RECORDED_AMOUNT_H_
#define GECKOPROF_BASEPROFILER_API_RECORDED_AMOUNT_H_

#include "baseprofiler/base_profiler_abi.h"
#include "geckoprof/segment/segment.h"

namespace geckoprof {

// Returns the amount of recorded data. It reads each chunk's row while the recording goes on.
//
// Threads: any.
geckoprof_buffer_info RecordedAmount(const Segment& segment);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_API_RECORDED_AMOUNT_H_
