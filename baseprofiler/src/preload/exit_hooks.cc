#include "preload/exit_hooks.h"

#include <unistd.h>

#include <atomic>

#include "core/exported_function.h"
#include "core/profiler_core.h"
#include "geckoprof/base/raw_syscall.h"
#include "preload/real_functions.h"

// What tells libc whose a handler is: each library has its own.
extern "C" __attribute__((visibility("hidden"))) void* __dso_handle;  // NOLINT

namespace geckoprof {
namespace {

// What libc's headers make of pthread_atfork, atexit and at_quick_exit. Looked up behind us: a program that has a
// sanitizer's run time linked into itself stands in front of these, and that is not set up when our constructor runs.
using AtForkFunction = int(void (*)(), void (*)(), void (*)(), void*);
using AtExitFunction = int(void (*)(void*), void*, void*);
constinit RealFunction<AtForkFunction> g_at_fork("__register_atfork");
constinit RealFunction<AtExitFunction> g_at_exit("__cxa_atexit"), g_at_quick_exit("__cxa_at_quick_exit");

// Registered each, and at the end not called so far.
constinit std::atomic<bool> g_hears_of_forks{false}, g_hears_of_exit{false};

// libc calls what is registered meanwhile, too: a destructor may start a recording.
void OnExit(void*) {
  g_hears_of_exit.store(false, std::memory_order_relaxed);
  ProfilerCore::Get().OnExit();
}

}  // namespace

void RegisterExitHooks() {
  if (!IsGlibc()) return;
  if (!g_hears_of_forks.exchange(true, std::memory_order_relaxed)) {
    g_at_fork.get()([] { ProfilerCore::Get().BeforeFork(); }, [] { ProfilerCore::Get().AfterForkInParent(); },
                    [] { ProfilerCore::Get().AfterForkInChild(); }, &__dso_handle);
  }
  if (g_hears_of_exit.exchange(true, std::memory_order_relaxed)) return;
  g_at_exit.get()(&OnExit, nullptr, &__dso_handle);
  g_at_quick_exit.get()(&OnExit, nullptr, &__dso_handle);
}

}  // namespace geckoprof

// Programs that end without exit handlers: their profile is written all the same. In the child of a vfork, which is
// another process in our memory, OnExit does nothing.

GECKOPROF_EXPORT void _exit(int status) {
  geckoprof::ProfilerCore::Get().OnExit();
  // As libc's goes on where a seccomp filter denies the one, and the other.
  for (;;) {
    geckoprof::RawSyscall(SYS_exit_group, status);
    geckoprof::RawSyscall(SYS_exit, status);
    __builtin_trap();
  }
}
GECKOPROF_EXPORT void _Exit(int status) { _exit(status); }
