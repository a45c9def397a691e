#ifndef GECKOPROF_HOOKS_LOOPS_LOOP_WATCH_H_
#define GECKOPROF_HOOKS_LOOPS_LOOP_WATCH_H_

#include <cstdint>

#include "baseprofiler/marker_abi.h"

namespace geckoprof {

// LoopWatch: finds out whether a thread is an event loop, and how long each of its iterations keeps it busy.
//
//   epoll_wait returns          busy: callbacks run         epoll_wait entered
//        |--------------------------------------------------------|
//      Leave                                                    Enter: returns the time in between
//
// A place is the epoll descriptor, or the caller of poll or select. A thread is a loop if it waits at one place
// kLeastWaits times, without a wait at another place. The thread may wait elsewhere in an iteration. A callback that
// asks a name server does so, and the loop is busy then.
//
// Threads: one. Context: any, signal context included. A handler that waits itself may end the watch of an iteration.
class LoopWatch {
 public:
  static constexpr uint32_t kLeastWaits = 5;

  // Called before a wait. `accepts` says whether a wait of this kind may be that of a loop. It is asked once for a
  // place. Returns the time since when the thread was busy, or 0 if the wait is not the end of an iteration.
  template <typename Accepts>
  geckoprof_time Enter(uint64_t place, const Accepts& accepts) {
    if (place == place_) [[likely]] {
      candidate_waits_ = 0;
      return begin_;
    }
    if (place != candidate_) candidate_waits_ = 0;
    candidate_ = place;
    if (candidate_waits_ == kRefused || ++candidate_waits_ < kLeastWaits) return 0;
    if (!accepts()) {
      candidate_waits_ = kRefused;
      return 0;
    }
    place_ = place;
    candidate_waits_ = 0;
    begin_ = 0;
    return 0;
  }
  // Called after the wait. Then an iteration begins.
  void Leave(uint64_t place, geckoprof_time now) {
    if (place == place_) begin_ = now;
  }

  // Called when nothing is recorded. An iteration that began before is not measured.
  void Pause() { begin_ = 0; }
  // Forgets a place whose descriptor is used for another object.
  void Forget(uint64_t place) {
    if (place == place_) place_ = 0;
    if (place == candidate_) candidate_ = candidate_waits_ = 0;
  }
  // For a loop that says itself where an iteration begins.
  void Begin(geckoprof_time now) { begin_ = now; }
  geckoprof_time End() {
    const geckoprof_time begin = begin_;
    begin_ = 0;
    return begin;
  }

 private:
  static constexpr uint32_t kRefused = UINT32_MAX;

  uint64_t place_ = 0;        // of the loop; 0: the thread is none
  geckoprof_time begin_ = 0;  // of the iteration
  uint64_t candidate_ = 0;
  uint32_t candidate_waits_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_LOOPS_LOOP_WATCH_H_
