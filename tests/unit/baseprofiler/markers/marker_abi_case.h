// What the tests of the C functions for markers share.
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

inline geckoprof_marker_options At(uint32_t phase, geckoprof_time start, geckoprof_time end) {
  geckoprof_marker_options options{};
  options.size_bytes = sizeof options;
  options.phase = phase;
  options.start = start;
  options.end = end;
  return options;
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
