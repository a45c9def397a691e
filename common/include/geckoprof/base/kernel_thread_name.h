#ifndef GECKOPROF_BASE_KERNEL_THREAD_NAME_H_
#define GECKOPROF_BASE_KERNEL_THREAD_NAME_H_

#include "geckoprof/base/ids.h"

namespace geckoprof {

// Reads the kernel's name of a thread of this process, at most 15 bytes, from /proc/self/task/TID/comm. For the main
// thread it is also the process name that ps(1) shows. Returns false and an empty name if the thread has ended or /proc
// is missing. The call opens and closes a file. It does not touch errno.
//
// Threads: any.
// Context: any, including signal context.
bool ReadKernelThreadName(ThreadId tid, char (&name)[64]);

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_KERNEL_THREAD_NAME_H_
