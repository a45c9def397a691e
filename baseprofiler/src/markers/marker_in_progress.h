#ifndef GECKOPROF_BASEPROFILER_MARKERS_MARKER_IN_PROGRESS_H_
#define GECKOPROF_BASEPROFILER_MARKERS_MARKER_IN_PROGRESS_H_

#include <cstdint>

#include "geckoprof/segment/segment.h"
#include "geckoprof/threads/thread_slot.h"

namespace geckoprof {

// MarkerInProgress: as long as it lives the calling thread writes a marker. It does not where it was interrupted while
// it wrote another (false; counted). That other is given up where it was left for good, by a jump out of the signal
// handler that interrupted it, as far as the stack shows that (DeadStack); counted, too. Threads: the slot's owner.
// Context: any, signal context included.
class MarkerInProgress {
 public:
  // `caller_sp`: the stack pointer of who called into the library.
  MarkerInProgress(const Segment* segment, ThreadSlot& slot, uintptr_t caller_sp) : markers_(slot.markers) {
    if (__builtin_expect(markers_.under_way_at() != 0, 0)) GiveUpAbandoned(*segment, slot, caller_sp);
    entered_ = markers_.Enter(segment, caller_sp);
  }
  ~MarkerInProgress() {
    if (entered_) markers_.Exit();
  }
  MarkerInProgress(const MarkerInProgress&) = delete;
  MarkerInProgress& operator=(const MarkerInProgress&) = delete;

  explicit operator bool() const { return entered_; }

  // Gives up the marker that is under way where it was left for good. True: none is under way any more.
  static bool GiveUpAbandoned(const Segment& segment, ThreadSlot& slot, uintptr_t caller_sp);

 private:
  MarkerWriter& markers_;
  bool entered_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_MARKER_IN_PROGRESS_H_
