#include "tools/convert/marker_spans.h"

#include <algorithm>
#include <tuple>

#include "absl/container/flat_hash_map.h"

namespace geckoprof {
namespace {

int64_t LastTimeNs(const ExportedProfile& profile, const ProfileThread& thread) {
  int64_t last_ns = 0;
  if (!thread.samples.empty()) last_ns = profile.TimeNs(thread.samples.back().time_ms);
  for (const ProfileMarker& marker : thread.markers) {
    last_ns = std::max({last_ns, profile.TimeNs(marker.start_ms), profile.TimeNs(marker.end_ms)});
  }
  return last_ns;
}

void AssignLanes(std::vector<MarkerSpan>* spans) {
  std::vector<std::vector<int64_t>> lanes(1);  // ends of what is open in each
  for (MarkerSpan& span : *spans) {
    if (span.is_instant) continue;
    for (span.lane = 0;; ++span.lane) {
      if (span.lane == MarkerSpan::kMaxLanes) {
        span.is_instant = true;
        span.end_ns = span.start_ns;
        span.lane = 0;
        break;
      }
      if (span.lane == lanes.size()) lanes.emplace_back();
      std::vector<int64_t>& open = lanes[span.lane];
      while (!open.empty() && open.back() <= span.start_ns) open.pop_back();
      if (open.empty() || open.back() >= span.end_ns) {
        open.push_back(span.end_ns);
        break;
      }
    }
  }
}

}  // namespace

std::vector<MarkerSpan> SpansOf(const ExportedProfile& profile, const ProfileThread& thread) {
  std::vector<MarkerSpan> spans;
  spans.reserve(thread.markers.size());
  absl::flat_hash_map<int32_t, std::vector<size_t>> open;  // by name: rows of spans
  const int64_t last_ns = LastTimeNs(profile, thread);
  for (size_t i = 0; i < thread.markers.size(); ++i) {
    const ProfileMarker& marker = thread.markers[i];
    MarkerSpan span;
    span.marker = static_cast<int32_t>(i);
    span.start_ns = span.end_ns = profile.TimeNs(marker.start_ms);
    switch (marker.phase) {
      case ProfileMarkerPhase::kInstant:
        span.is_instant = true;
        break;
      case ProfileMarkerPhase::kInterval:
        span.end_ns = std::max(span.start_ns, profile.TimeNs(marker.end_ms));
        break;
      case ProfileMarkerPhase::kIntervalStart:
        span.end_ns = std::max(span.start_ns, last_ns);
        open[marker.name].push_back(spans.size());
        break;
      case ProfileMarkerPhase::kIntervalEnd: {
        const int64_t end_ns = profile.TimeNs(marker.end_ms);
        std::vector<size_t>& starts = open[marker.name];
        if (!starts.empty()) {
          MarkerSpan& started = spans[starts.back()];
          started.end_ns = std::max(started.start_ns, end_ns);
          starts.pop_back();
          continue;
        }
        span.is_instant = true;
        span.start_ns = span.end_ns = end_ns;
        break;
      }
    }
    spans.push_back(span);
  }
  std::stable_sort(spans.begin(), spans.end(), [](const MarkerSpan& a, const MarkerSpan& b) {
    return std::tie(a.start_ns, b.end_ns) < std::tie(b.start_ns, a.end_ns);
  });
  AssignLanes(&spans);
  return spans;
}

}  // namespace geckoprof
