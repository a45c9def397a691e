#ifndef GECKOPROF_BASEPROFILER_CAPTURE_SHUTDOWN_PROFILE_H_
#define GECKOPROF_BASEPROFILER_CAPTURE_SHUTDOWN_PROFILE_H_

#include "geckoprof/segment/segment.h"

namespace geckoprof {

// Writes this process's own segment as raw Gecko JSON, through the same reader and writer as the tools, to `path`:
// first beside it, then renamed, so that a reader never meets half a file. False if that failed; nothing is left behind
// then.
bool WriteShutdownProfile(const Segment& segment, const char* path);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_CAPTURE_SHUTDOWN_PROFILE_H_
