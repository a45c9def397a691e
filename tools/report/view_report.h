#ifndef GECKOPROF_TOOLS_REPORT_VIEW_REPORT_H_
#define GECKOPROF_TOOLS_REPORT_VIEW_REPORT_H_

#include <string>

#include "tools/report/profile_summary.h"
#include "tools/report/report_table.h"
#include "tools/report/report_views.h"

namespace geckoprof {

// One table for a script: a JSON object; its keys are listed in geckoprof-report(1).
std::string WriteViewJson(const ReportTable& table, ReportView view, const ProfileSummary& summary,
                          const std::string& file);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_VIEW_REPORT_H_
