#include "tools/processed_format/loading_marker.h"

#include <algorithm>
#include <utility>

namespace geckoprof {
namespace {

MarkerTypeRow LoadingMarkerType() {
  MarkerTypeRow type;
  type.name = "geckoprofDynamicLinker";
  type.description =
      "From the exec system call to the profiler's constructor. The kernel maps the program, and the dynamic linker "
      "maps and relocates its libraries. No samples can be taken in this time. If the time of exec is not known, the "
      "marker begins when the process was seen last before it.";
  type.tooltip_label = "{marker.name}";
  type.display = {"marker-chart", "marker-table", "timeline-overview"};
  return type;
}

}  // namespace

void AddLoadingMarker(ProcessProfile& process) {
  const int64_t begin_ns = process.exec_ns != 0 ? process.exec_ns : process.before_exec_ns;
  const auto main = std::ranges::find_if(process.threads, [](const ThreadRow& thread) { return thread.is_main; });
  if (begin_ns == 0 || process.constructor_ns <= begin_ns || main == process.threads.end()) return;
  MarkerRow marker;
  marker.name = static_cast<int32_t>(process.strings.size());
  process.strings.push_back("exec to constructor (dynamic linker)");
  marker.phase = MarkerPhase::kInterval;
  marker.start_ns = begin_ns;
  marker.end_ns = process.constructor_ns;
  marker.category = kNone;
  marker.type = static_cast<int32_t>(process.marker_types.size());
  process.marker_types.push_back(LoadingMarkerType());
  main->markers.push_back(marker);
}

}  // namespace geckoprof
