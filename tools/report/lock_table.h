#ifndef GECKOPROF_TOOLS_REPORT_LOCK_TABLE_H_
#define GECKOPROF_TOOLS_REPORT_LOCK_TABLE_H_

#include <cstddef>

#include "tools/profile/profile_model.h"
#include "tools/report/report_table.h"

namespace geckoprof {

// Makes the table of the feature `locks`: all waits by lock. Mutexes and read-write locks come first, and then the
// objects at which threads wait for an event. Each part begins with the longest total. `top` limits the rows.
//
// A row has the stack at which threads waited longest in total, and likewise the stack of the holders. A note says for
// how many of the waits over a millisecond the holder's stack is known.
ReportTable LockTable(const ProfileModel& model, size_t top);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_LOCK_TABLE_H_
