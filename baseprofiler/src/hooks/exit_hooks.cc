// _exit and _Exit. A process that ends without exit handlers gets its profile too.
#include <unistd.h>

#include "core/process_end.h"
#include "geckoprof/base/raw_syscall.h"
#include "runtime/exported_function.h"

GECKOPROF_EXPORT void _exit(int status) {
  geckoprof::EndRecordingBeforeExit(status);
  // A seccomp filter may deny the first call. The second call and the trap then follow, like in libc.
  for (;;) {
    geckoprof::RawSyscall(SYS_exit_group, status);
    geckoprof::RawSyscall(SYS_exit, status);
    __builtin_trap();
  }
}
GECKOPROF_EXPORT void _Exit(int status) { _exit(status); }
