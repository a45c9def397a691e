#ifndef GECKOPROF_TOOLS_REPORT_LOOP_TABLE_H_
#define GECKOPROF_TOOLS_REPORT_LOOP_TABLE_H_

#include <cstddef>

#include "tools/profile/profile_model.h"
#include "tools/report/report_table.h"

namespace geckoprof {

// Makes the table of the feature `responsiveness`: the blocks of event loops, the longest first. `top` limits the rows.
//
// The function of a block is found by its samples, from the outermost function on. It is the last one that more than
// half of them have in common. Its stack is that of its callers.
ReportTable LoopTable(const ProfileModel& model, size_t top);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_LOOP_TABLE_H_
