#ifndef GECKOPROF_TOOLS_REPORT_TABLE_TEXT_H_
#define GECKOPROF_TOOLS_REPORT_TABLE_TEXT_H_

#include <string>

#include "tools/report/report_table.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {

// A table for a reader: numbers to the right, texts to the left, the last column as wide as there is room. Every string
// is cleaned. Begins with an empty line unless it has no title.
std::string WriteTableText(const ReportTable& table, const TerminalStyle& style);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_TABLE_TEXT_H_
