// The text, the file and the time zero of the profile of this process and its children.
#ifndef GECKOPROF_GECKOPROFILER_CAPTURE_OWN_PROFILE_H_
#define GECKOPROF_GECKOPROFILER_CAPTURE_OWN_PROFILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "capture/gathering.h"
#include "geckoprof/json/json_writer.h"
#include "geckoprofiler/profiler_result.h"
#include "handover/base_link.h"

namespace geckoprof {

// ProfileRequest: what a profile is to have.
struct ProfileRequest {
  int64_t since_ns = 0;            // data before this time is left out; 0: nothing is
  Gathering* gathering = nullptr;  // what is told of the progress, and the children if they have been read
  EventLog log = {};               // what is known of the children, for "profilingLog"
};

// Writes the profile of the current recording, or of a recording that has ended by its duration. It uses the reader
// that the recorder and the tools use. The recording goes on, and no writer waits. The status may be kInactive,
// kOldBase, kGenerationFailed, kNoMemory, kCannotWrite if the sink gave up, or kCancelled.
//
// Threads: any.
// Context: cold. Time and memory are in proportion to the recorded data.
ProfilerOutcome WriteOwnProfile(const BaseLink& base, const JsonSink& sink, const ProfileRequest& request = {});

// Writes the profile to the file, pipe or device that `name` leads to (geckoprof/base/output_target.h). The
// parts of the name that stand for host, rank and process are replaced (geckoprof/config/output_name.h). A failure
// leaves no file behind.
ProfilerOutcome SaveOwnProfile(const BaseLink& base, const char* name, const ProfileRequest& request = {});

// Returns the time when this process began, in ns on CLOCK_MONOTONIC. The first call decides, so that times never go
// backwards. The child of a fork keeps its parent's time. The time is the time zero of the recording's profile, if
// there is a recording. Otherwise base tells the time that its recordings will use. If base cannot tell, the kernel's
// time is used, in steps of 10 ms (proc(5), "starttime"). If that is unknown too, it is the time of the call.
int64_t ProcessStartNs(const BaseLink& base);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CAPTURE_OWN_PROFILE_H_
