#ifndef GECKOPROF_GECKOPROFILER_HANDOVER_SEGMENT_COUNTS_H_
#define GECKOPROF_GECKOPROFILER_HANDOVER_SEGMENT_COUNTS_H_

#include <cstdint>
#include <optional>

namespace geckoprof {

// How much is recorded, in bytes of entries.
struct SegmentCounts {
  uint64_t range_start = 0;  // of what is still there; positions only ever grow
  uint64_t range_end = 0;
  uint64_t used_bytes = 0;
  uint64_t capacity_bytes = 0;
  uint64_t samples_taken = 0;
  uint64_t entries_dropped = 0;
};

// Counts a mapped segment's entries by its header and directory, without reading any chunk. The mapping may be written,
// or given up and read as zeros, meanwhile; it may also be of another version. Nothing if it is not a segment that we
// know.
std::optional<SegmentCounts> CountSegment(const void* segment, uint64_t size_bytes);

// How much the buffer holds: what was asked for, or less where a limit or the space forbade it. 0 as below.
uint64_t CapacityOfSegment(const void* segment, uint64_t size_bytes);

// The process's time zero as its profile has it; 0 if it is not a segment that we know.
int64_t TimeZeroOfSegment(const void* segment, uint64_t size_bytes);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_HANDOVER_SEGMENT_COUNTS_H_
