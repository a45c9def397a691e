#ifndef GECKOPROF_TOOLS_RECORD_SESSION_WINDOW_H_
#define GECKOPROF_TOOLS_RECORD_SESSION_WINDOW_H_

#include <cstdint>

#include "tools/record/session_contents.h"

namespace geckoprof {

// Trims a session to a window of time, from `begin_ns` (CLOCK_MONOTONIC) to the end of the data.
//
//   begin_ns |-------------------------------------------|
//        [ marker ]      stays: it reaches into the window
//      process that ended |                              goes, with all that it has
//
// KeepRowsSince (geckoprof/reader/recent_rows.h) says what stays of a process. A process that ran in the window stays,
// even without samples. Notes about data that was dropped before the window go. A note tells if a process lost data of
// the window itself. REQUIRES: Finish was called.
void TrimToWindow(int64_t begin_ns, SessionContents& contents);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_SESSION_WINDOW_H_
