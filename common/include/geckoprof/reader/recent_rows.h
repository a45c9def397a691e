#ifndef GECKOPROF_READER_RECENT_ROWS_H_
#define GECKOPROF_READER_RECENT_ROWS_H_

#include <cstdint>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// Takes the rows out of a profile that are older than a time, in ns on CLOCK_MONOTONIC. The recording then seems to
// have begun at this time.
//
//                         since_ns
//   samples      x  x  x  |  x  x            stay from here on. A run of idle ticks loses those before. The first one
//                                            has no CPU time, because that was used before. A thread that waits at
//                                            the time has a row there
//   markers      [--------|---]  o           stay if they end later. So does a start whose end lies later, or is
//   missing counters     +1 +1 +1 |3 +2              a row at the begin has what was added before threads      ===== |
//   ======           stay if they lived later, and the main thread always
//
// Threads: any, one for each profile. Context: allocates.
void KeepRowsSince(int64_t since_ns, ProcessProfile& profile);

}  // namespace geckoprof

#endif  // GECKOPROF_READER_RECENT_ROWS_H_
