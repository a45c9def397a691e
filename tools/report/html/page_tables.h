#ifndef GECKOPROF_TOOLS_REPORT_HTML_PAGE_TABLES_H_
#define GECKOPROF_TOOLS_REPORT_HTML_PAGE_TABLES_H_

#include <cstddef>
#include <string_view>

#include "geckoprof/json/json_writer.h"
#include "tools/profile/profile_model.h"
#include "tools/report/profile_summary.h"
#include "tools/report/report_table.h"

namespace geckoprof {

// Writes the member "tables": what `geckoprof report --by` prints of locks, allocations, and input and output. A view
// is left out if it has no rows, or rows of counters alone, which the page shows as graphs.
//
//   view, title, notes   the name of the view, and texts
//   columns              {label, kind}. The kind is "number", "text" or "stack"
//   rows                 of each column a text as it is printed, of a stack its functions, or null if it is not known
//   rowCount             how many rows there are. At most `top` of them are written
//
// `summary` is of the same model.
void WritePageTables(const ProfileModel& model, const ProfileSummary& summary, size_t top, JsonWriter& writer);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_HTML_PAGE_TABLES_H_
