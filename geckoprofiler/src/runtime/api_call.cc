#include "runtime/api_call.h"

#include <unistd.h>

#include <atomic>
#include <new>

namespace geckoprof {
namespace {

// Written before other threads could ask.
std::atomic<pid_t> g_process{0};

}  // namespace

bool RunUnlessOutOfMemory(void (*run)(void* argument), void* argument) {
  try {
    run(argument);
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

void LibraryProcess::Adopt() { g_process.store(getpid(), std::memory_order_relaxed); }

bool LibraryProcess::IsThis() {
  const pid_t process = g_process.load(std::memory_order_relaxed);
  return process == 0 || process == getpid();
}

ProcessId LibraryProcess::Current() { return ProcessId::FromNumber(getpid()); }

ProfilerStatus ApiCall::RunErased(void (*run)(void* argument), void* argument) {
  if (ApiLocks::HoldsAny() || !LibraryProcess::IsThis()) return ProfilerStatus::kWrongThread;
  const ApiLocks::Scope inside(ApiLockRank::kProfiler);
  return RunUnlessOutOfMemory(run, argument) ? ProfilerStatus::kDone : ProfilerStatus::kNoMemory;
}

}  // namespace geckoprof
