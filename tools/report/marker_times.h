#ifndef GECKOPROF_TOOLS_REPORT_MARKER_TIMES_H_
#define GECKOPROF_TOOLS_REPORT_MARKER_TIMES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/profile/profile_model.h"

namespace geckoprof {

// A marker of a thread from its start to its end. Starts and ends that were written apart are matched by name, the
// innermost first, as the viewer does; what has no other half stands where its one half is, without a duration.
struct MarkerTime {
  int32_t marker = 0;  // row of thread.markers; of two halves the start
  double start_ms = 0, end_ms = 0;
  bool has_duration = false;
};

// In the file's order.
std::vector<MarkerTime> MarkerTimesOf(const ProfileThread& thread);

// DurationFigures: how long things of one kind took. A percentile is the smallest duration that at least so many per
// cent of all do not exceed (nearest rank): one that occurred.
class DurationFigures {
 public:
  void AddInstant() { ++count_; }
  void Add(double duration_ms) {
    ++count_;
    total_ms_ += duration_ms;
    durations_ms_.push_back(duration_ms);
  }

  size_t count() const { return count_; }  // instants among them
  double total_ms() const { return total_ms_; }
  bool has_durations() const { return !durations_ms_.empty(); }
  // 0 < percent <= 100, and there is a duration. Sorts what was added.
  double Percentile(double percent);

 private:
  size_t count_ = 0;
  double total_ms_ = 0;
  std::vector<double> durations_ms_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_MARKER_TIMES_H_
