#ifndef GECKOPROF_READER_INTERVAL_MARKERS_H_
#define GECKOPROF_READER_INTERVAL_MARKERS_H_

#include "geckoprof/reader/process_profile.h"
#include "segment_tables.h"

namespace geckoprof {

// Adds a marker to the main thread, and a problem, for what the limit of the profiler's own time did to the interval.
// Samples and metadata must have been read. Context: allocates.
void AddIntervalMarkers(SegmentTables& tables, ProcessProfile& profile);

}  // namespace geckoprof

#endif  // GECKOPROF_READER_INTERVAL_MARKERS_H_
