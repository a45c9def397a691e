#include "runtime/api_call.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <new>
#include <string_view>

#include "geckoprof/base/utf8.h"

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
  const int before = errno;
  const bool has_memory = RunUnlessOutOfMemory(run, argument);
  errno = before;
  return has_memory ? ProfilerStatus::kDone : ProfilerStatus::kNoMemory;
}

int AnswerC(const ProfilerOutcome& outcome, char* detail, size_t detail_bytes) {
  if (detail != nullptr && detail_bytes > 0) {
    std::string_view text = outcome.detail;
    if (!outcome && text.empty()) text = ToText(outcome.status);
    text = Utf8Cut(text, detail_bytes - 1);
    if (!text.empty()) memcpy(detail, text.data(), text.size());
    detail[text.size()] = '\0';
  }
  return static_cast<int>(outcome.status);
}

}  // namespace geckoprof

using geckoprof::ProfilerStatus;

const char* geckoprof_status_text(int status) {
  if (status < 0 || status > UINT8_MAX) return "unknown";
  switch (static_cast<ProfilerStatus>(status)) {
    case ProfilerStatus::kDone:
      return "done";
    case ProfilerStatus::kUnchanged:
      return "it was so already";
    case ProfilerStatus::kInactive:
      return "nothing is recorded";
    case ProfilerStatus::kGenerationFailed:
      return "the profile could not be made";
    case ProfilerStatus::kCannotWrite:
      return "the profile could not be written";
    case ProfilerStatus::kBadArgument:
      return "an argument is out of range";
    case ProfilerStatus::kNoBase:
      return "no libbaseprofiler.so that can hand over is loaded";
    case ProfilerStatus::kBaseUnusable:
      return "the table of the loaded libbaseprofiler.so cannot be used";
    case ProfilerStatus::kOtherVersion:
      return "the loaded libbaseprofiler.so is of another version of the handover";
    case ProfilerStatus::kOldBase:
      return "the loaded libbaseprofiler.so is too old for this";
    case ProfilerStatus::kOwned:
      return "another copy of this library controls the recording";
    case ProfilerStatus::kTimeout:
      return "the sampler did not come to the end of a tick in time: nothing has changed";
    case ProfilerStatus::kWrongThread:
      return "this thread would have to wait for itself, or runs in a child that the library was not told of";
    case ProfilerStatus::kExcluded:
      return "the filters exclude this process";
    case ProfilerStatus::kNoSegment:
      return "there is no memory or space for the recording";
    case ProfilerStatus::kNoThread:
      return "the kernel allows no further thread";
    case ProfilerStatus::kRefused:
      return "base refused";
    case ProfilerStatus::kThreadGone:
      return "there is no such thread in this process";
    case ProfilerStatus::kThreadSignalBlocked:
      return "the thread runs, and the profiler's signals may not be sent to it";
    case ProfilerStatus::kNoMemory:
      return "out of memory";  // short enough to need none
    case ProfilerStatus::kCancelled:
      return "it was cancelled";
  }
  return "unknown";
}
