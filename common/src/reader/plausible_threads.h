#ifndef GECKOPROF_READER_PLAUSIBLE_THREADS_H_
#define GECKOPROF_READER_PLAUSIBLE_THREADS_H_

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// The last step of reading. A segment may claim anything about threads and pauses. Every output relies on the following
// rules, and this step establishes them.
//
// - The first thread is the main thread, and its id is the process's. If there are only other threads, a main thread
// without samples is added. It begins with the process if that is recorded from its exec on. - No thread ends before it
// begins. If threads have the same id, each ends before the next begins. - Threads that the filters exclude are
// removed, as in Firefox. The main thread stays, and so do threads with samples or markers. - Pauses are in order of
// their start, and none ends before it.
//
// Rows are moved, so numbers of threads from before are invalid. Threads: one. Context: allocates.
void MakeThreadsPlausible(ProcessProfile& profile);
void MakePausesPlausible(ProcessProfile& profile);

}  // namespace geckoprof

#endif  // GECKOPROF_READER_PLAUSIBLE_THREADS_H_
