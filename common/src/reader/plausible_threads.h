#ifndef GECKOPROF_READER_PLAUSIBLE_THREADS_H_
#define GECKOPROF_READER_PLAUSIBLE_THREADS_H_

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// The last step of reading: makes of whatever a segment said of threads and pauses what every output may rely on.
//
// - One thread is the main one, and the first: the one whose id is the process's. If there is none, and there are
//   others, it is added, without samples. Of a process that is recorded from its exec on it began with that.
// - No thread ends before it begins, and of the threads of one id each ends before the next begins.
// - Threads that the filters exclude are left out, as Firefox does, but for the main one and those that have samples
//   or markers all the same.
// - Pauses are in order of their start, and none ends before it.
//
// Rows are moved: nothing may refer to threads by number any more. Threads: one. Context: allocates.
void MakeThreadsPlausible(ProcessProfile& profile);
void MakePausesPlausible(ProcessProfile& profile);

}  // namespace geckoprof

#endif  // GECKOPROF_READER_PLAUSIBLE_THREADS_H_
