#include "handover/library_lifetime.h"

#include <pthread.h>

#include "capture/stack_capture.h"
#include "core/full_profiler.h"
#include "handover/fork_holds.h"
#include "handover/library_process.h"

namespace geckoprof {
namespace {

__attribute__((constructor)) void Load() { LibraryLifetime::OnLoad(); }
__attribute__((destructor)) void Unload() { LibraryLifetime::OnUnload(); }

void AfterFork(bool in_child) {
  if (in_child) LibraryProcess::Adopt();
  const uint32_t held = ForkHolds::Pop();
  StackCapture::AfterFork(in_child, (held & ForkHolds::kUnwinder) != 0);
  FullProfiler::Get().AfterFork(in_child, held);
  if (in_child) ForkHolds::Note();  // a handler may have forked in the middle of this thread's own fork
}

}  // namespace

void LibraryLifetime::OnLoad() {
  LibraryProcess::Adopt();
  FullProfiler::Get();
  pthread_atfork(
      [] {
        const uint32_t held = FullProfiler::Get().BeforeFork();
        ForkHolds::Push(held | (StackCapture::BeforeFork() ? ForkHolds::kUnwinder : 0u));
      },
      [] { AfterFork(false); }, [] { AfterFork(true); });
}

void LibraryLifetime::OnUnload() { FullProfiler::Get().Unload(); }

}  // namespace geckoprof
