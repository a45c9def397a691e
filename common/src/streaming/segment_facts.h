#ifndef GECKOPROF_STREAMING_SEGMENT_FACTS_H_
#define GECKOPROF_STREAMING_SEGMENT_FACTS_H_

#include "geckoprof/segment/segment_format.h"
#include "geckoprof/streaming/process_profile.h"

namespace geckoprof {

// What the header of a segment says of the process and of the recording itself. `header`: a copy that nobody writes to.
void FillFromHeader(const SegmentHeader& header, ProcessProfile& out);

}  // namespace geckoprof

#endif  // GECKOPROF_STREAMING_SEGMENT_FACTS_H_
