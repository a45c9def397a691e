#ifndef GECKOPROF_BASEPROFILER_MARKERS_EARLY_MARKERS_H_
#define GECKOPROF_BASEPROFILER_MARKERS_EARLY_MARKERS_H_

#include "geckoprof/segment/segment.h"
#include "recording/recording_state.h"

namespace geckoprof {

// EarlyMarkers serves the first markers of a forked child. The sampler creates the child's segment about a millisecond
// after the fork, so that a child which calls exec at once never pays for one. If the child marks before that, the
// segment is created at once, and the marker waits for it.
//
//   marking thread: wakes the sampler, sleeps 50 us, checks again, ...   at most a second, and only once
//   sampler:                        creates the segment
//
// If the wait was in vain, the marker is lost. The segment counts it later.
//
// Threads: any. Context: any, signal context included. The sampler thread never waits for a thread that a signal could
// interrupt here.
class EarlyMarkers {
 public:
  // Returns the segment for a marker, or null if nothing is recorded.
  static const Segment* SegmentForMarker(RecordingState& state) {
    const Segment* const segment = state.RecordingSegment();
    return __builtin_expect(segment != nullptr, 1) ? segment : Await(state);
  }

  // Counts the lost markers in the new segment, which other threads can already find.
  static void CountIn(const Segment& segment);

  static void AfterForkInChild();

 private:
  static const Segment* Await(RecordingState& state);
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_EARLY_MARKERS_H_
