// The text, the file and the time zero of this process's profile.
#ifndef GECKOPROF_GECKOPROFILER_CAPTURE_OWN_PROFILE_H_
#define GECKOPROF_GECKOPROFILER_CAPTURE_OWN_PROFILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "geckoprof/json/json_writer.h"
#include "geckoprofiler/profiler_result.h"
#include "handover/base_link.h"

namespace geckoprof {

// Writes the profile of the current recording, or of a recording that has ended by its duration. It uses the reader
// that the recorder and the tools use. The recording goes on, and no writer waits. The status may be kInactive,
// kOldBase, kGenerationFailed, kNoMemory, or kCannotWrite if the sink gave up.
//
// Threads: any.
// Context: cold. Time and memory are in proportion to the recorded data.
ProfilerOutcome WriteOwnProfile(const BaseLink& base, const JsonSink& sink);

// Writes the profile to the file, pipe or device that `name` leads to (geckoprof/base/output_target.h). "%p" is
// replaced. A failure leaves no file behind.
ProfilerOutcome SaveOwnProfile(const BaseLink& base, const char* name);

// Returns `name` with each "%p" replaced by the process id.
std::string ExpandProcessId(std::string_view name, int32_t pid);

// Returns the time when this process began, in ns on CLOCK_MONOTONIC. The first call decides, so that times never go
// backwards. The child of a fork keeps its parent's time. The time is the time zero of the recording's profile, if
// there is a recording. Otherwise base tells the time that its recordings will use. If base cannot tell, the kernel's
// time is used, in steps of 10 ms (proc(5), "starttime"). If that is unknown too, it is the time of the call.
int64_t ProcessStartNs(const BaseLink& base);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CAPTURE_OWN_PROFILE_H_
