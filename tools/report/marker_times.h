#ifndef GECKOPROF_TOOLS_REPORT_MARKER_TIMES_H_
#define GECKOPROF_TOOLS_REPORT_MARKER_TIMES_H_

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

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_MARKER_TIMES_H_
