#ifndef GECKOPROF_READER_SEGMENT_FACTS_H_
#define GECKOPROF_READER_SEGMENT_FACTS_H_

#include <cstdint>

#include "geckoprof/reader/process_profile.h"
#include "geckoprof/segment/segment_format.h"

namespace geckoprof {

// Fills in the facts that the header of a segment has about the process and the recording. `header` must be a copy that
// no thread writes to. Returns the number of impossible or contradicting fields, as in a damaged file. If times
// contradict one another, the times of the shorter recording are used.
uint64_t FillFromHeader(const SegmentHeader& header, ProcessProfile& out);

// Moves features from `features` to a problem if they need libgeckoprofiler_hooks.so, and the process never had that
// library. A process without a list of libraries is left as it is. REQUIRES: the libraries were read.
void MoveMissingFeatures(ProcessProfile& out);

}  // namespace geckoprof

#endif  // GECKOPROF_READER_SEGMENT_FACTS_H_
