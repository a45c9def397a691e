#ifndef GECKOPROF_BASE_THREAD_NAME_H_
#define GECKOPROF_BASE_THREAD_NAME_H_

#include <string_view>

#include "geckoprof/base/ids.h"

namespace geckoprof {

// The main thread's name in profiles. The Firefox Profiler identifies the main thread of a process by this name. The
// kernel's name of the thread, which ps(1) shows, stays unchanged. The data ends with a NUL.
inline constexpr std::string_view kMainThreadName = "GeckoMain";

// Reads the kernel's name of a thread of this process, at most 15 bytes, from /proc/self/task/TID/comm. For the main
// thread it is also the process name that ps(1) shows. Returns false and an empty name if the thread has ended or /proc
// is missing. The call opens and closes a file. It does not touch errno.
//
// Threads: any.
// Context: any, including signal context.
bool ReadKernelThreadName(ThreadId tid, char (&name)[64]);

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_THREAD_NAME_H_
