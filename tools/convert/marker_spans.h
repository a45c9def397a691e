#ifndef GECKOPROF_TOOLS_CONVERT_MARKER_SPANS_H_
#define GECKOPROF_TOOLS_CONVERT_MARKER_SPANS_H_

#include <cstdint>
#include <vector>

#include "tools/convert/exported_profile.h"

namespace geckoprof {

// A marker of a thread as the trace formats have them: starts and ends are matched by name, the innermost first, as the
// viewer does. One that never ended lasts to the thread's last time; an end without a start is an instant.
//
//   time  --->                lane
//   [  request      ]          0    what nests, as calls do
//      [ parse ]               0
//          [ upload     ]      1    what does not: crosses the end of one that is open
struct MarkerSpan {
  // There are never more lanes; a span that would need one is as an instant.
  static constexpr uint32_t kMaxLanes = 64;

  int32_t marker = 0;  // row of thread.markers: name, category, data
  int64_t start_ns = 0;
  int64_t end_ns = 0;  // start_ns of an instant
  bool is_instant = false;
  uint32_t lane = 0;
};

// In order of start_ns, of equal ones the longest first.
std::vector<MarkerSpan> SpansOf(const ExportedProfile& profile, const ProfileThread& thread);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_MARKER_SPANS_H_
