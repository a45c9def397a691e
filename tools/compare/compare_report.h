#ifndef GECKOPROF_TOOLS_COMPARE_COMPARE_REPORT_H_
#define GECKOPROF_TOOLS_COMPARE_COMPARE_REPORT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tools/compare/budget.h"
#include "tools/compare/comparison.h"
#include "tools/report/report_table.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {

// Makes the tables of `geckoprof compare`, of at most `top` rows each. Without several runs on both sides the columns
// of p have no values. Differences of p <= alpha have a colour: red is more.
ReportTable ChangedFunctions(const Comparison& comparison, size_t top, double alpha);
ReportTable ChangedMarkers(const Comparison& comparison, size_t top, double alpha);

// What a comparison is told of.
struct CompareSubject {
  std::vector<std::string> before_files, after_files;
  std::vector<RunFigures> before, after;
  std::vector<Budget> budgets;
  size_t top = 20;
  double alpha = 0.05;
};

// For a reader: the functions' own share and CPU time, the markers' total time and count; what did not change at all
// is left out. For a script: all columns, listed in geckoprof-compare(1).
std::string WriteCompareText(const CompareSubject& subject, const TerminalStyle& style);
std::string WriteCompareJson(const CompareSubject& subject);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_COMPARE_COMPARE_REPORT_H_
