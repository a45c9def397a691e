// Tables of samples: by what their frames belong to, and by whose they are.
#ifndef GECKOPROF_TOOLS_REPORT_SAMPLE_TABLES_H_
#define GECKOPROF_TOOLS_REPORT_SAMPLE_TABLES_H_

#include <cstddef>

#include "tools/profile/profile_model.h"
#include "tools/report/profile_summary.h"
#include "tools/report/report_table.h"

namespace geckoprof {

// The heaviest by self first, at most `top`.
ReportTable FunctionTable(const ProfileModel& model, size_t top, bool with_idle);
ReportTable FileTable(const ProfileModel& model, size_t top, bool with_idle);  // of a model with ProfileDetail::kFull
ReportTable LibraryTable(const ProfileModel& model, size_t top, bool with_idle);
ReportTable CategoryTable(const ProfileModel& model, size_t top, bool with_idle);
// Those with the most CPU time first.
ReportTable ThreadTable(const ProfileModel& model, const ProfileSummary& summary, size_t top);
ReportTable ProcessTable(const ProfileModel& model, const ProfileSummary& summary, size_t top);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_SAMPLE_TABLES_H_
