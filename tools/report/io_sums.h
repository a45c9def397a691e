#ifndef GECKOPROF_TOOLS_REPORT_IO_SUMS_H_
#define GECKOPROF_TOOLS_REPORT_IO_SUMS_H_

#include <cstddef>

#include "tools/profile/profile_model.h"
#include "tools/report/report_table.h"

namespace geckoprof {

// Returns the table of input and output. If the profile has the totals of libgeckoprofiler_hooks.so, their rows come
// first, with the columns of EventTable:
//
//   source  a row is                                      from markers of the type
//   class   all calls of files, sockets, pipes, ...       IOTotals
//   path    all calls of a path or peer in a process      IOTotals
//   request requests of a kind to rings, for a path or    IORequests
//           peer in a process. They have no time
//   call    one of the slowest calls                      FileIO, NetIO
//
// `top` holds for each source.
ReportTable IoTable(const ProfileModel& model, size_t top);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_IO_SUMS_H_
