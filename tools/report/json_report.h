#ifndef GECKOPROF_TOOLS_REPORT_JSON_REPORT_H_
#define GECKOPROF_TOOLS_REPORT_JSON_REPORT_H_

#include <cstddef>
#include <string>

#include "tools/profile/profile_model.h"
#include "tools/report/json_text.h"
#include "tools/report/profile_summary.h"
#include "tools/report/report_table.h"
#include "tools/report/report_views.h"

namespace geckoprof {

// The report for a script: one JSON object; its keys are listed in geckoprof-report(1). `top` limits the two lists of
// functions and that of markers; threads, path and sections are complete.
std::string WriteJsonReport(const ProfileModel& model, const ProfileSummary& summary, const std::string& file,
                            size_t top);

// What all JSON of a report says of its figures: "countedSamples" or "countedBytes", "unit", "allocations" where there
// are any, "rowsWithoutWeight".
void WriteCountedUnit(const ProfileSummary& summary, JsonText* json);

// Writes one table for a script as a JSON object. geckoprof-report(1) lists its keys.
std::string WriteViewJson(const ReportTable& table, ReportView view, const ProfileSummary& summary,
                          const std::string& file);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_JSON_REPORT_H_
