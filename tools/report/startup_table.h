#ifndef GECKOPROF_TOOLS_REPORT_STARTUP_TABLE_H_
#define GECKOPROF_TOOLS_REPORT_STARTUP_TABLE_H_

#include <cstddef>

#include "tools/profile/profile_model.h"
#include "tools/report/report_table.h"

namespace geckoprof {

// The phases of the starts of all processes, at most `top` rows. Libraries whose constructors took less than 0.5 ms,
// and calls that took less to load nothing, are a note. The model has ProfileDetail::kFull.
//
// A share is of the whole start of the process. That lasts from its first phase to the end of the last phase that the
// program names. If it names none, the start ends where main begins. A phase that ends later has no share.
ReportTable StartupTable(const ProfileModel& model, size_t top);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_STARTUP_TABLE_H_
