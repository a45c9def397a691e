#ifndef GECKOPROF_TOOLS_COMPARE_COMPARE_TABLES_H_
#define GECKOPROF_TOOLS_COMPARE_COMPARE_TABLES_H_

#include <cstddef>

#include "tools/compare/comparison.h"
#include "tools/report/report_table.h"

namespace geckoprof {

// What `geckoprof compare` shows; at most `top` rows. Without several runs on both sides the columns of p have no
// values. Differences of p <= alpha have a colour: red is more.
ReportTable ChangedFunctions(const Comparison& comparison, size_t top, double alpha);
ReportTable ChangedMarkers(const Comparison& comparison, size_t top, double alpha);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_COMPARE_COMPARE_TABLES_H_
