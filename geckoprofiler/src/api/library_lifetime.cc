// The events of this library's lifetime. It is loaded, the process forks, and dlclose or the end of the process unloads
// the library. The loader calls Load and Unload with its lock held.
#include <pthread.h>

#include "core/full_profiler.h"
#include "runtime/api_call.h"
#include "runtime/fork_holds.h"

namespace geckoprof {
namespace {

void AfterFork(bool in_child) {
  if (in_child) LibraryProcess::Adopt();
  FullProfiler::Get().AfterFork(in_child, ForkHolds::Pop());
  if (in_child) ForkHolds::NoteForkingThread();  // a handler may have forked in the middle of this thread's own fork
}

__attribute__((constructor)) void Load() {
  LibraryProcess::Adopt();
  FullProfiler::Get();
  pthread_atfork([] { ForkHolds::Push(FullProfiler::Get().BeforeFork()); }, [] { AfterFork(false); },
                 [] { AfterFork(true); });
}

// Hands the recording back before this library's code is unmapped.
__attribute__((destructor)) void Unload() { FullProfiler::Get().Unload(); }

}  // namespace
}  // namespace geckoprof
