#ifndef GECKOPROF_TOOLS_REPORT_WAIT_TABLE_H_
#define GECKOPROF_TOOLS_REPORT_WAIT_TABLE_H_

#include <cstddef>

#include "tools/profile/profile_model.h"
#include "tools/report/report_table.h"

namespace geckoprof {

// Makes the table of waiting times by cause and stack, and for locks by address, with the longest in total first. Waits
// that were too short for a stack are one row for each cause. `top` limits the rows.
//
// If a wait for a lock took longer than a millisecond, the lock's row has the holder. It also has the stack at which
// the holder was in the middle of the longest wait.
ReportTable WaitTable(const ProfileModel& model, size_t top);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_WAIT_TABLE_H_
