#ifndef GECKOPROF_BASE_KERNEL_THREAD_NAME_H_
#define GECKOPROF_BASE_KERNEL_THREAD_NAME_H_

#include "geckoprof/base/ids.h"

namespace geckoprof {

// What the kernel calls a thread of this process (/proc/self/task/ID/comm, 15 bytes), which of the main thread is also
// what ps(1) shows of the process. False, and an empty name: it is gone, or there is no /proc. Opens and closes a file;
// errno stays. Threads: any. Context: any, signal context included.
bool ReadKernelThreadName(ThreadId tid, char (&name)[64]);

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_KERNEL_THREAD_NAME_H_
