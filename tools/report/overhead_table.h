#ifndef GECKOPROF_TOOLS_REPORT_OVERHEAD_TABLE_H_
#define GECKOPROF_TOOLS_REPORT_OVERHEAD_TABLE_H_

#include <cstddef>
#include <string>

#include "tools/profile/profile_model.h"
#include "tools/report/report_table.h"

namespace geckoprof {

// Makes the table of what the profiler itself took, with a row for each process. A first row has all processes if there
// are several. `top` limits the rows of processes. The processes with the most CPU time come first. Shares are of one
// core, over the time of the process's recording.
ReportTable OverheadTable(const ProfileModel& model, size_t top);

// Returns the same in one line. It is empty if the file does not say.
std::string OverheadText(const ProfileModel& model);

// Returns the sentence about intervals that a limit of the profiler's own time made longer. It is empty if none did.
std::string LongerIntervalText(const ProfileModel& model);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_OVERHEAD_TABLE_H_
