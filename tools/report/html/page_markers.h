#ifndef GECKOPROF_TOOLS_REPORT_HTML_PAGE_MARKERS_H_
#define GECKOPROF_TOOLS_REPORT_HTML_PAGE_MARKERS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tools/profile/profile_model.h"
#include "tools/report/marker_times.h"

namespace geckoprof {

// PageMarkers: the markers that a page shows, by thread and in order of their start. Where there are more than
// `most_markers`, every name of every thread keeps up to the same number: its longest ones, and of those without a
// duration some from all over the time. What is left out is counted by name.
struct PageMarkers {
  struct Thread {
    std::vector<MarkerTime> shown;                     // rows of the thread's markers
    std::vector<std::pair<int32_t, size_t>> left_out;  // name (row of model.strings), how many
  };

  PageMarkers(const ProfileModel& model, size_t most_markers);

  std::vector<Thread> threads;  // as model.threads
  size_t count = 0;             // that there were
  size_t left_out = 0;          // of those
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_HTML_PAGE_MARKERS_H_
