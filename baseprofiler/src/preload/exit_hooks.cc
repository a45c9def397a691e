#include "preload/exit_hooks.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>

#include "core/exported_function.h"
#include "core/profiler_core.h"
#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {

void RegisterExitHooks() {
  static constinit std::atomic<bool> done{false};
  if (done.exchange(true, std::memory_order_relaxed)) return;
  pthread_atfork([] { ProfilerCore::Get().BeforeFork(); }, [] { ProfilerCore::Get().AfterForkInParent(); },
                 [] { ProfilerCore::Get().AfterForkInChild(); });
  atexit([] { ProfilerCore::Get().OnExit(); });
  at_quick_exit([] { ProfilerCore::Get().OnExit(); });
}

}  // namespace geckoprof

// Programs that end without exit handlers: their profile is written all the same. In the child of a vfork, which is
// another process in our memory, OnExit does nothing.

GECKOPROF_EXPORT void _exit(int status) {
  geckoprof::ProfilerCore::Get().OnExit();
  for (;;) geckoprof::RawSyscall(SYS_exit_group, status);
}
GECKOPROF_EXPORT void _Exit(int status) { _exit(status); }
