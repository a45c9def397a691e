#ifndef GECKOPROF_READER_SEGMENT_READER_H_
#define GECKOPROF_READER_SEGMENT_READER_H_

#include <cstdint>

#include "geckoprof/reader/process_profile.h"
#include "geckoprof/segment/segment.h"
#include "geckoprof/segment/segment_view.h"

namespace geckoprof {

enum class SegmentReadStatus : uint8_t {
  kOk,
  kCannotOpen,  // error: errno
  kNotASegment,
  kNewerVersion,  // written by a later version that this one would misread
  kDamaged,       // cut short or inconsistent; what could be read is in the result all the same
};

struct SegmentReadResult {
  SegmentReadStatus status = SegmentReadStatus::kOk;
  int error = 0;
};

// The one way from a segment to a profile: of a file, whose process may live or not, or of this process's own segment
// while it is being written. Never blocks a writer. Every byte is checked: the file may be anything. Threads: any.
// Context: allocates; takes time in proportion to the segment.
SegmentReadResult ReadSegmentFile(const char* path, ProcessProfile& out);
// The same of an open file, which is left as it is.
SegmentReadResult ReadSegmentFile(int descriptor, ProcessProfile& out);
SegmentReadResult ReadOwnSegment(const Segment& segment, ProcessProfile& out);
// The same of a mapping that another library of this process made (SegmentView::OpenMapping).
SegmentReadResult ReadMappedSegment(const SegmentView::Mapping& mapping, ProcessProfile& out);

}  // namespace geckoprof

#endif  // GECKOPROF_READER_SEGMENT_READER_H_
