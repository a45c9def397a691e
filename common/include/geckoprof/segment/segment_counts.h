#ifndef GECKOPROF_SEGMENT_SEGMENT_COUNTS_H_
#define GECKOPROF_SEGMENT_SEGMENT_COUNTS_H_

#include <cstdint>
#include <optional>

namespace geckoprof {

// The amount of recorded data, in bytes of entries. Positions only ever grow.
struct SegmentCounts {
  uint64_t range_start = 0;  // position of the oldest entry that is still present
  uint64_t range_end = 0;
  // The time, in ns on CLOCK_MONOTONIC, at which the oldest finished chunk was begun. Chunks in use do not count: a
  // thread that hardly marks keeps its chunk for ever. It is 0 while no chunk was used again or released.
  int64_t oldest_ns = 0;
  uint64_t used_bytes = 0;
  uint64_t capacity_bytes = 0;  // as SegmentCapacityBytes returns it
  uint64_t samples_taken = 0;
  uint64_t entries_dropped = 0;  // entries that are missing; entries that are present without a part do not count
};

// These functions read the header and the directory of a mapped segment, and no chunk. Meanwhile the segment may be
// written, or replaced by zeros. It may also be of another version. They return nothing, or 0, if it is not a segment
// of this version.
//
// Threads: any.
// Context: any, signal context included.
std::optional<SegmentCounts> CountSegment(const void* segment, uint64_t size_bytes);

// Returns the requested capacity, or the present one if a limit or the available space made it smaller.
uint64_t SegmentCapacityBytes(const void* segment, uint64_t size_bytes);

// Returns the time zero of the process's profile, in ns on CLOCK_MONOTONIC.
int64_t SegmentTimeZeroNs(const void* segment, uint64_t size_bytes);

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_SEGMENT_COUNTS_H_
