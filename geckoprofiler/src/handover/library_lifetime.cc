#include "handover/library_lifetime.h"

#include <pthread.h>

#include "core/full_profiler.h"

namespace geckoprof {
namespace {

__attribute__((constructor)) void Load() { LibraryLifetime::OnLoad(); }
__attribute__((destructor)) void Unload() { LibraryLifetime::OnUnload(); }

}  // namespace

void LibraryLifetime::OnLoad() {
  FullProfiler::Get();
  pthread_atfork([] { FullProfiler::Get().BeforeFork(); }, [] { FullProfiler::Get().AfterFork(false); },
                 [] { FullProfiler::Get().AfterFork(true); });
}

void LibraryLifetime::OnUnload() { FullProfiler::Get().Unload(); }

}  // namespace geckoprof
