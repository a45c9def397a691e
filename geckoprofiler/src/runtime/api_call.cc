#include "runtime/api_call.h"

#include "runtime/library_process.h"
#include "runtime/memory_guard.h"

namespace geckoprof {
namespace {

class Inside {
 public:
  Inside() { ApiLocks::Take(ApiLockRank::kProfiler); }
  ~Inside() { ApiLocks::Release(ApiLockRank::kProfiler); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

}  // namespace

ProfilerStatus ApiCall::RunErased(void (*run)(void* argument), void* argument) {
  if (ApiLocks::HoldsAny() || !LibraryProcess::IsThis()) return ProfilerStatus::kWrongThread;
  const Inside inside;
  return RunUnlessOutOfMemory(run, argument) ? ProfilerStatus::kDone : ProfilerStatus::kNoMemory;
}

}  // namespace geckoprof
