#ifndef GECKOPROF_TOOLS_REPORT_TABLE_JSON_H_
#define GECKOPROF_TOOLS_REPORT_TABLE_JSON_H_

#include "tools/report/json_text.h"
#include "tools/report/report_table.h"

namespace geckoprof {

// Members of the object that is open in `json`: "rowCount" (that there are), "rows", an array of objects with a member
// a column (null where it is not known), and "notes", an array of texts. Every string is cleaned.
void WriteTableJson(const ReportTable& table, JsonText* json);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_TABLE_JSON_H_
