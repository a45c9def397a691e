#include "geckoprof/base/thread_name.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/text_builder.h"

namespace geckoprof {

bool ReadKernelThreadName(ThreadId tid, char (&name)[64]) {
  char path[64];
  TextBuilder(path).Text("/proc/self/task/").Number(tid.ToNumber()).Text("/comm");
  const Fd file = Fd::Open(path, O_RDONLY);
  const long got = file.ok() ? RawSyscall(SYS_read, file.number(), name, sizeof(name) - 1) : 0;
  const long length = got > 0 ? got - 1 : 0;  // without the line feed
  name[length] = '\0';
  return length > 0;
}

}  // namespace geckoprof
