#include "runtime/outcome.h"

namespace geckoprof {

const char* StatusText(ProfilerStatus status) {
  switch (status) {
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
    case ProfilerStatus::kThreadDeaf:
      return "the thread runs, and the profiler's signals may not be sent to it";
    case ProfilerStatus::kNoMemory:
      return "out of memory";  // short enough to need none
  }
  return "unknown";
}

}  // namespace geckoprof
