#ifndef GECKOPROF_READER_SEGMENT_FACTS_H_
#define GECKOPROF_READER_SEGMENT_FACTS_H_

#include <cstdint>

#include "geckoprof/reader/process_profile.h"
#include "geckoprof/segment/segment_format.h"

namespace geckoprof {

// What the header of a segment says of the process and of the recording itself. `header`: a copy that nobody writes to.
// Returns how many of its fields contradict the others or cannot be: in a damaged file. Of times that contradict one
// another the ones are taken that make a shorter recording.
uint64_t FillFromHeader(const SegmentHeader& header, ProcessProfile& out);

}  // namespace geckoprof

#endif  // GECKOPROF_READER_SEGMENT_FACTS_H_
