#include "tools/report/marker_times.h"

#include <algorithm>
#include <cmath>

#include "absl/container/flat_hash_map.h"

namespace geckoprof {

std::vector<MarkerTime> MarkerTimesOf(const ProfileThread& thread) {
  std::vector<MarkerTime> times;
  times.reserve(thread.markers.size());
  absl::flat_hash_map<int32_t, std::vector<size_t>> open;  // by name: rows of times
  for (size_t i = 0; i < thread.markers.size(); ++i) {
    const ProfileMarker& marker = thread.markers[i];
    const int32_t row = static_cast<int32_t>(i);
    switch (marker.phase) {
      case ProfileMarkerPhase::kInstant:
        times.push_back({row, marker.start_ms, marker.start_ms, false});
        break;
      case ProfileMarkerPhase::kInterval:
        times.push_back({row, marker.start_ms, std::max(marker.start_ms, marker.end_ms), true});
        break;
      case ProfileMarkerPhase::kIntervalStart:
        open[marker.name].push_back(times.size());
        times.push_back({row, marker.start_ms, marker.start_ms, false});
        break;
      case ProfileMarkerPhase::kIntervalEnd: {
        std::vector<size_t>& starts = open[marker.name];
        if (starts.empty()) {
          times.push_back({row, marker.end_ms, marker.end_ms, false});
          break;
        }
        MarkerTime& started = times[starts.back()];
        started.end_ms = std::max(started.start_ms, marker.end_ms);
        started.has_duration = true;
        starts.pop_back();
        break;
      }
    }
  }
  return times;
}

double DurationFigures::Percentile(double percent) {
  if (!std::is_sorted(durations_ms_.begin(), durations_ms_.end())) {
    std::sort(durations_ms_.begin(), durations_ms_.end());
  }
  const double rank = std::ceil(percent / 100 * static_cast<double>(durations_ms_.size()));
  const size_t index = static_cast<size_t>(std::max(rank, 1.0)) - 1;
  return durations_ms_[std::min(index, durations_ms_.size() - 1)];
}

}  // namespace geckoprof
