#ifndef GECKOPROF_READER_SEGMENT_READER_H_
#define GECKOPROF_READER_SEGMENT_READER_H_

#include <cstdint>
#include <string_view>

#include "geckoprof/reader/process_profile.h"
#include "geckoprof/segment/segment.h"
#include "geckoprof/segment/segment_view.h"

namespace geckoprof {

enum class SegmentReadStatus : uint8_t {
  kOk,
  kCannotOpen,  // error: errno
  kNotASegment,
  kNewerVersion,  // written by a later version that this one would misread
  kDamaged,       // cut short or inconsistent; the result has the readable part
};

struct SegmentReadResult {
  SegmentReadStatus status = SegmentReadStatus::kOk;
  int error = 0;
};

// Reads a segment into the tables of a profile. There is no other reader. The process of a file may still be running,
// and the own segment may be recorded into meanwhile. Reading never blocks a writer. The reader checks every byte,
// because a file may hold anything. Each chunk is copied and read once, so later changes do not reach the profile.
// Memory: about as much as the used part of the segment. Time: linear in the segment. Threads: any. Context: allocates.
SegmentReadResult ReadSegmentFile(const char* path, ProcessProfile& out);
// Reads an open file. The file stays open.
SegmentReadResult ReadSegmentFile(int descriptor, ProcessProfile& out);
SegmentReadResult ReadOwnSegment(const Segment& segment, ProcessProfile& out);
// Reads a mapping that another library of this process made (SegmentView::OpenMapping).
SegmentReadResult ReadMappedSegment(const SegmentView::Mapping& mapping, ProcessProfile& out);

// Takes the process's id and the number of its program from the name of the segment's file, if it is one. Two processes
// with the same ids would be one to a viewer. Where a damaged header says something else, the name is right.
void TakeFileName(std::string_view file_name, ProcessProfile& process);

}  // namespace geckoprof

#endif  // GECKOPROF_READER_SEGMENT_READER_H_
