#ifndef GECKOPROF_GECKOPROFILER_CAPTURE_OWN_PROFILE_H_
#define GECKOPROF_GECKOPROFILER_CAPTURE_OWN_PROFILE_H_

#include "geckoprof/handover/handover_table.h"
#include "geckoprof/json/json_writer.h"
#include "handover/base_link.h"
#include "runtime/outcome.h"

namespace geckoprof {

// Writes the profile of the recording that runs, or has run to the end of its duration, through the one reader that the
// recorder and the tools use too. The recording goes on; no writer waits. Statuses: kInactive, kOldBase,
// kGenerationFailed, kCannotWrite (the sink gave up). Also kNoMemory. Threads: any.
// Context: cold; time and memory in proportion to what was recorded.
Outcome WriteOwnProfile(const BaseLink& base, const JsonSink& sink);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CAPTURE_OWN_PROFILE_H_
