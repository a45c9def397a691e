// _exit and _Exit: a process that ends without exit handlers has its profile written, too.
#include <unistd.h>

#include "core/process_end.h"
#include "geckoprof/base/raw_syscall.h"
#include "runtime/exported_function.h"

GECKOPROF_EXPORT void _exit(int status) {
  geckoprof::EndRecordingBeforeExit();
  // libc goes on with the second call, and with a trap, where a seccomp filter denies the first.
  for (;;) {
    geckoprof::RawSyscall(SYS_exit_group, status);
    geckoprof::RawSyscall(SYS_exit, status);
    __builtin_trap();
  }
}
GECKOPROF_EXPORT void _Exit(int status) { _exit(status); }
