#ifndef GECKOPROF_TOOLS_REPORT_HTML_PAGE_MARKER_WRITER_H_
#define GECKOPROF_TOOLS_REPORT_HTML_PAGE_MARKER_WRITER_H_

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "geckoprof/json/json_writer.h"
#include "tools/profile/profile_model.h"
#include "tools/report/html/page_markers.h"
#include "tools/report/html/page_strings.h"
#include "tools/report/html/page_tree.h"

namespace geckoprof {

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

#endif  // GECKOPROF_TOOLS_REPORT_HTML_PAGE_MARKER_WRITER_H_
