#ifndef GECKOPROF_BASEPROFILER_API_RECORDED_AMOUNT_H_
#define GECKOPROF_BASEPROFILER_API_RECORDED_AMOUNT_H_

#include "baseprofiler/c/geckoprof_control.h"
#include "geckoprof/segment/segment.h"

namespace geckoprof {

// How much the recording holds. A look at each chunk's row; the recording goes on meanwhile. Threads: any.
geckoprof_buffer_info RecordedAmount(const Segment& segment);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_API_RECORDED_AMOUNT_H_
