#ifndef GECKOPROF_TOOLS_REPORT_HTML_COUNTER_POINTS_H_
#define GECKOPROF_TOOLS_REPORT_HTML_COUNTER_POINTS_H_

#include <cstddef>
#include <vector>

#include "tools/profile/profile_model.h"

namespace geckoprof {

struct CounterPoint {
  double time_ms = 0;
  double value = 0;

  bool operator==(const CounterPoint&) const = default;
};

// A counter as a graph, in order of time: its value, so the sum of its rows (of what there was before, in the first),
// or, of a rate, what each row added. Where there are more than `most_points` rows, the time is cut into equal parts of
// which the smallest and the largest value are kept; of a rate the sum.
std::vector<CounterPoint> CounterPoints(const ProfileCounter& counter, size_t most_points);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_HTML_COUNTER_POINTS_H_
