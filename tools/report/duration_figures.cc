#include "tools/report/duration_figures.h"

#include <algorithm>
#include <cmath>

namespace geckoprof {

double DurationFigures::Percentile(double percent) {
  if (!std::is_sorted(durations_ms_.begin(), durations_ms_.end())) {
    std::sort(durations_ms_.begin(), durations_ms_.end());
  }
  const double rank = std::ceil(percent / 100 * static_cast<double>(durations_ms_.size()));
  const size_t index = static_cast<size_t>(std::max(rank, 1.0)) - 1;
  return durations_ms_[std::min(index, durations_ms_.size() - 1)];
}

}  // namespace geckoprof
