// Who is asking: the ids of the current process, thread and main thread.
//
// The values are the kernel's (gettid(2), getpid(2)), so both tiers, the profile and other tools show the same ones.
// Nothing is cached: in the child of a fork they are right at once. Threads: any. Context: any, signal context
// included.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_THREAD_IDS_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_THREAD_IDS_H_

#include "geckoprof/base/ids.h"

namespace geckoprof {

// 0 is unspecified; see Id.
using ProfilerProcessId = ProcessId;
using ProfilerThreadId = ThreadId;

}  // namespace geckoprof

#pragma GCC visibility push(default)

// Each costs a system call of about 0.1 us.
geckoprof::ProfilerProcessId profiler_current_process_id();
geckoprof::ProfilerThreadId profiler_current_thread_id();

// The thread that the process began with, on Linux the one whose id is the process's; the same from every thread, and
// still an answer when that thread has ended. In the child of a fork it is the thread that forked.
geckoprof::ProfilerThreadId profiler_main_thread_id();
bool profiler_is_main_thread();

#pragma GCC visibility pop

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_THREAD_IDS_H_
