#ifndef GECKOPROF_BASEPROFILER_MARKERS_MARKER_IN_PROGRESS_H_
#define GECKOPROF_BASEPROFILER_MARKERS_MARKER_IN_PROGRESS_H_

#include <cstdint>

#include "geckoprof/segment/segment.h"
#include "geckoprof/threads/thread_slot.h"

namespace geckoprof {

// MarkerInProgress: the calling thread writes a marker while this object lives. It is false if the thread was
// interrupted while it wrote another marker. The new marker is then counted (kNested).
//
// A signal handler may jump out of a marker. The abandoned marker blocks the thread's further markers, until the thread
// makes one at the same depth of the stack or nearer to its start. Then the abandoned marker is dropped and counted
// (kAbandonedMarker).
//
//   the thread's own stack, growing down          its alternate stack for signals
//   | callers ... | ... what lived below          while the thread does not run on it
//                 ^ caller_sp
//                   abandoned                     abandoned
//
// Nothing is dropped on a coroutine's stack, or where the bounds of the thread's stack are unknown.
// Threads: the slot's owner. Context: any, signal context included.
class MarkerInProgress {
 public:
  // `caller_sp` is the stack pointer of the library's caller.
  MarkerInProgress(const Segment* segment, ThreadSlot& slot, uintptr_t caller_sp) : markers_(slot.markers) {
    if (__builtin_expect(markers_.under_way_at() != 0, 0)) DropAbandoned(*segment, slot, caller_sp);
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

  // Drops the marker that is under way, if it is abandoned. Returns true if no marker is under way any more. REQUIRES:
  // a marker is under way.
  static bool DropAbandoned(const Segment& segment, ThreadSlot& slot, uintptr_t caller_sp);

 private:
  MarkerWriter& markers_;
  bool entered_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_MARKER_IN_PROGRESS_H_
