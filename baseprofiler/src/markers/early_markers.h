#ifndef GECKOPROF_BASEPROFILER_MARKERS_EARLY_MARKERS_H_
#define GECKOPROF_BASEPROFILER_MARKERS_EARLY_MARKERS_H_

#include "geckoprof/segment/segment.h"
#include "recording/recording_state.h"

namespace geckoprof {

// EarlyMarkers: the first markers of a forked child, whose segment the sampler makes a ms later, so that a child which
// calls exec at once never pays for one. A child that marks gets it now, and its marker waits for it:
//
//   marking thread: wakes the sampler, sleeps 50 us, looks again, ...      a second at most, once
//   sampler:                        makes the segment
//
// A marker that waited in vain is lost, and counted in the segment when that is there. Threads: any. Context: any,
// signal context included: who makes the segment waits for nobody that could be interrupted here.
class EarlyMarkers {
 public:
  // The segment that a marker goes to; null: nothing is recorded.
  static const Segment* SegmentForMarker(RecordingState& state) {
    const Segment* const segment = state.RecordingSegment();
    return __builtin_expect(segment != nullptr, 1) ? segment : Await(state);
  }

  // The segment is there: whoever looks for one finds it.
  static void CountIn(const Segment& segment);

  static void AfterForkInChild();

 private:
  static const Segment* Await(RecordingState& state);
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_EARLY_MARKERS_H_
