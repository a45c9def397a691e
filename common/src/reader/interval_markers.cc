#include "interval_markers.h"

#include <algorithm>
#include <string>

namespace geckoprof {
namespace {

MarkerTypeRow IntervalMarkerType() {
  MarkerTypeRow type;
  type.name = "geckoprofInterval";
  type.description =
      "The profiler took more of the processor than --max-overhead allows, or less for long. Samples are taken at this "
      "interval from here on.";
  type.tooltip_label = "sampling interval";
  type.chart_label = type.table_label = "{marker.data.interval}";
  type.display = {"marker-chart", "marker-table", "timeline-overview"};
  type.fields = {{"interval", "From here on", "duration"},
                 {"before", "Until here", "duration"},
                 {"share", "The profiler took", "string"},
                 {"limit", "Limit", "string"}};
  return type;
}

// Hundredths of a per cent, for example "2.05 %".
std::string PercentText(int64_t parts) {
  const std::string rest = std::to_string(100 + parts % 100).substr(1);
  return std::to_string(parts / 100) + (parts % 100 == 0 ? "" : "." + rest) + " %";
}

// ns as ms with at most six decimals.
std::string MsText(int64_t ns) {
  std::string rest = std::to_string(1'000'000 + ns % 1'000'000).substr(1);
  rest.erase(rest.find_last_not_of('0') + 1);
  return std::to_string(ns / 1'000'000) + (rest.empty() ? "" : "." + rest) + " ms";
}

}  // namespace

void AddIntervalMarkers(SegmentTables& tables, ProcessProfile& profile) {
  const auto main = std::ranges::find_if(profile.threads, &ThreadRow::is_main);
  const std::vector<EarlierInterval>& earlier = profile.earlier_intervals;
  int32_t type = kNone;
  int64_t first_ns = 0, longest_ns = 0;
  for (size_t i = 0; i < earlier.size(); ++i) {
    if (earlier[i].limited_share < 0) continue;
    const int64_t next_ns = i + 1 < earlier.size() ? earlier[i + 1].interval_ns : profile.interval_ns;
    if (first_ns == 0) first_ns = earlier[i].until_ns;
    longest_ns = std::max(longest_ns, next_ns);
    if (main == profile.threads.end()) continue;
    if (type == kNone) {
      type = static_cast<int32_t>(profile.marker_types.size());
      profile.marker_types.push_back(IntervalMarkerType());
    }
    const auto text = [&tables](std::string_view key, const std::string& value) -> MarkerField {
      return {tables.String(key), MarkerFieldKind::kText, tables.Text(value)};
    };
    const auto duration = [&tables](std::string_view key, int64_t ns) -> MarkerField {
      return {tables.String(key), MarkerFieldKind::kNs, kNone, 0, ns};
    };
    MarkerRow marker;
    marker.name = tables.Name("sampling interval");
    marker.start_ns = earlier[i].until_ns;
    marker.category = kNone;
    marker.type = type;
    marker.fields = {duration("interval", next_ns), duration("before", earlier[i].interval_ns),
                     text("share", PercentText(earlier[i].limited_share)),
                     text("limit", PercentText(profile.overhead_limit))};
    main->markers.push_back(marker);
  }
  if (first_ns == 0) return;
  const int64_t asked_ns = profile.asked_interval_ns > 0 ? profile.asked_interval_ns : profile.interval_ns;
  profile.problems.push_back(std::string(kLongerIntervalProblem) + MsText(longest_ns) + ", not " + MsText(asked_ns) +
                             ", from " +
                             MsText(std::max<int64_t>(first_ns - profile.start_ns, 0) / 1'000'000 * 1'000'000) +
                             " on: the profiler took more than the limit of " + PercentText(profile.overhead_limit) +
                             " (markers \"sampling interval\")");
}

}  // namespace geckoprof
