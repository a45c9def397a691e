#ifndef GECKOPROF_BASEPROFILER_SAMPLER_OVERHEAD_LIMIT_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_OVERHEAD_LIMIT_H_

#include <cstdint>

#include "geckoprof/base/clock.h"

namespace geckoprof {

// OverheadLimit chooses the interval that keeps the profiler's own time below a limit.
//
//   share = time of the profiler / (time that has passed, or CPU time of the program if that is more)
//
//   window:   | too much  | not judged | fine | far below the limit for long |
//   interval:         asked -> longer                      longer -> shorter
//
// An interval is the asked one times a power of two, so that readers can weigh samples by whole numbers. It grows by as
// many steps as the share needs. It shrinks by as many as leave the share below 80 % of the limit, if the time
// for samples doubles with each. If it grows again then, the next attempt waits twice as long. The window after the
// begin and the one after a change are not judged, because their own work is in them.
//
// Threads: the sampler. Context: not signal context.
class OverheadLimit {
 public:
  // Times since the start of the recording, in ns.
  struct Spent {
    int64_t time_ns;      // now, on CLOCK_MONOTONIC
    int64_t profiler_ns;  // of the sampler, and of the handler in the program's threads
    int64_t samples_ns;   // the part of it that is for samples, at most
    int64_t program_ns;   // CPU time of the program
  };

  // Begins with an interval that was asked for. `limit` is in hundredths of a per cent, and 0 means none.
  void Begin(uint32_t limit, int64_t interval_ns) {
    limit_ = limit;
    asked_ns_ = interval_ns_ = interval_ns;
    is_judged_ = false;
  }

  bool IsDue(int64_t now_ns) const { return limit_ != 0 && now_ns - begin_.time_ns >= kWindowNs; }
  // Ends a window, if it has enough ticks. Returns the interval from now on.
  int64_t Judge(const Spent& spent);
  // Returns the profiler's share in the last window, in hundredths of a per cent.
  int64_t share() const { return share_; }
  int64_t asked_ns() const { return asked_ns_; }

  static constexpr int64_t kWindowNs = 500 * kNsPerMs;
  static constexpr int64_t kLongestNs = kNsPerSecond;     // no interval becomes longer
  static constexpr int64_t kRareLooksNs = 10 * kNsPerMs;  // above it, each tick is a look
  static constexpr int64_t kLeastPatienceNs = 2 * kNsPerSecond, kMostPatienceNs = 64 * kNsPerSecond;

 private:
  uint32_t limit_ = 0;
  bool is_judged_ = false;   // the window
  bool has_shrunk_ = false;  // since it grew
  int64_t asked_ns_ = 0, interval_ns_ = 0;
  int64_t share_ = 0;
  int64_t calm_ns_ = 0;  // the share has been low for so long
  int64_t patience_ns_ = kLeastPatienceNs;
  Spent begin_ = {};  // of the window
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_OVERHEAD_LIMIT_H_
