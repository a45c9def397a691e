#ifndef GECKOPROF_BASEPROFILER_MARKERS_MARKER_IN_PROGRESS_H_
#define GECKOPROF_BASEPROFILER_MARKERS_MARKER_IN_PROGRESS_H_

#include <cstdint>

#include "geckoprof/segment/segment.h"
#include "geckoprof/threads/thread_slot.h"

namespace geckoprof {

// MarkerInProgress: while it lives, the calling thread writes a marker. It is false if the thread was interrupted while
// it wrote another marker, which is counted. If the thread jumped out of that other marker, it is given up and counted,
// as far as the stack shows that (DeadStack).
//
// Threads: the owner of the slot. Context: any, signal context included.
class MarkerInProgress {
 public:
  // `caller_sp`: the stack pointer of the function that called the library.
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

  // The marker stays under way until geckoprof_base_end_in_place.
  void StayOpen() { entered_ = false; }

  // Gives up the marker that is under way if the thread has jumped out of it. True: none is under way any more.
  static bool GiveUpAbandoned(const Segment& segment, ThreadSlot& slot, uintptr_t caller_sp);

 private:
  MarkerWriter& markers_;
  bool entered_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_MARKER_IN_PROGRESS_H_
