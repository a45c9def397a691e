// Taking the profile out. The recording goes on meanwhile, and no thread of the program waits for it. A recording whose
// duration is over can be taken out until the next start.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_OUTPUT_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_OUTPUT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "geckoprofiler/profiler_result.h"

#pragma GCC visibility push(default)

// The profile of this process: raw Gecko JSON, not symbolicated. Errors: kInactive, kGenerationFailed (the text says
// why), kOldBase.
geckoprof::ProfilerResult<std::string> profiler_get_profile();

// The same, piece by piece, in order. `sink` returns false to give up: kCannotWrite.
using ProfilerJsonSink = std::function<bool(std::string_view)>;
geckoprof::ProfilerOutcome profiler_stream_json_for_this_process(const ProfilerJsonSink& sink);

// The same, into a file; each "%p" of the name becomes the process's number. Written beside it and renamed, so that
// nobody meets half a file; where a link leads, and with the mode of what was there. A device, a pipe, a FIFO that
// somebody reads, and a file that /proc leads to (/dev/stdout) are written to. A reader that takes nothing for 10 s
// ends it: kCannotWrite.
geckoprof::ProfilerOutcome profiler_save_profile(const char* file_name);

// The same for C and for foreign functions. 0: written; else a ProfilerStatus.
extern "C" int profiler_save_profile_to_file(const char* file_name);

// How much is recorded, in bytes of entries.
struct ProfilerBufferInfo {
  uint64_t range_start = 0;  // of what is still there; positions only ever grow
  uint64_t range_end = 0;
  uint64_t used_bytes = 0;
  uint64_t capacity_bytes = 0;
  uint64_t samples_taken = 0;
  uint64_t entries_dropped = 0;
};
// Nothing if there is no recording. Of one that ended by itself, or for which no thread could be made, what there is:
// its profile says why.
std::optional<ProfilerBufferInfo> profiler_get_buffer_info();

#pragma GCC visibility pop

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_OUTPUT_H_
