// Sites and options for the tests of the functions that record markers.
#ifndef GECKOPROF_TESTS_UNIT_BASEPROFILER_MARKERS_MARKER_ABI_CASE_H_
#define GECKOPROF_TESTS_UNIT_BASEPROFILER_MARKERS_MARKER_ABI_CASE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "baseprofiler/marker_abi.h"
#include "recording_folder.h"

namespace geckoprof {

inline geckoprof_marker_site Site(const char* name, geckoprof_marker_type* type = nullptr) {
  return {sizeof(geckoprof_marker_site), 1 << 8, name, type, 0};
}

inline geckoprof_marker_options At(uint32_t flags, geckoprof_time start, geckoprof_time time) {
  geckoprof_marker_options options{};
  options.size_bytes = sizeof options;
  options.flags = flags;
  options.start = start;
  options.time = time;
  return options;
}

// An instant, in place. False: it is not recorded.
inline bool MarkInstant(geckoprof_marker_site& site, geckoprof_time time) {
  return geckoprof_base_begin_in_place(&site, GECKOPROF_MARKER_INSTANT, 0, time, 0) != nullptr;
}

inline size_t CountMarkers(const ProcessProfile& profile, std::string_view name) {
  size_t count = 0;
  for (const ThreadRow& thread : profile.threads) {
    for (const MarkerRow& marker : thread.markers) {
      count += profile.strings[static_cast<size_t>(marker.name)] == name;
    }
  }
  return count;
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_BASEPROFILER_MARKERS_MARKER_ABI_CASE_H_
