#include "handover/library_lifetime.h"

#include <pthread.h>

#include "capture/stack_capture.h"
#include "core/full_profiler.h"
#include "handover/library_process.h"

namespace geckoprof {
namespace {

__attribute__((constructor)) void Load() { LibraryLifetime::OnLoad(); }
__attribute__((destructor)) void Unload() { LibraryLifetime::OnUnload(); }

void AfterFork(bool in_child) {
  if (in_child) LibraryProcess::Adopt();
  StackCapture::AfterFork(in_child);
  FullProfiler::Get().AfterFork(in_child);
}

}  // namespace

void LibraryLifetime::OnLoad() {
  LibraryProcess::Adopt();
  FullProfiler::Get();
  pthread_atfork(
      [] {
        FullProfiler::Get().BeforeFork();
        StackCapture::BeforeFork();
      },
      [] { AfterFork(false); }, [] { AfterFork(true); });
}

void LibraryLifetime::OnUnload() { FullProfiler::Get().Unload(); }

}  // namespace geckoprof
