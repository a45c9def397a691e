#ifndef GECKOPROF_TOOLS_REPORT_HTML_PAGE_MARKERS_H_
#define GECKOPROF_TOOLS_REPORT_HTML_PAGE_MARKERS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "geckoprof/json/json_writer.h"
#include "tools/profile/profile_model.h"
#include "tools/report/html/page_columns.h"
#include "tools/report/html/page_tree.h"
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

// PageMarkerWriter: the markers of a page's data, and the schemas that they need. Lifetime: everything that it is given
// outlives it.
class PageMarkerWriter {
 public:
  PageMarkerWriter(const ProfileModel& model, const PageTree& tree, PageStrings* strings, JsonWriter& writer)
      : model_(model), tree_(tree), strings_(strings), writer_(writer) {}

  // "markers": columns of those that were chosen of a thread.
  void WriteMarkers(const ProfileThread& thread, const PageMarkers::Thread& chosen);
  // "schemas": of the markers written so far.
  void WriteSchemas();

 private:
  void WriteFields(const ProfileMarker& marker);

  const ProfileModel& model_;
  const PageTree& tree_;
  PageStrings* const strings_;
  JsonWriter& writer_;
  absl::flat_hash_set<int32_t> marker_types_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_HTML_PAGE_MARKERS_H_
