#ifndef GECKOPROF_BASEPROFILER_CORE_SHUTDOWN_PROFILE_H_
#define GECKOPROF_BASEPROFILER_CORE_SHUTDOWN_PROFILE_H_

#include "geckoprof/segment/segment.h"
#include "sampler/raw_thread.h"

namespace geckoprof {

// Writes this process's own segment as raw Gecko JSON, through the same reader and writer as the tools, to what `path`
// leads to (base/output_target.h). False if that failed.
bool WriteShutdownProfile(const Segment& segment, const char* path);

// The same on `thread`'s stack, which must not be running: the program's may be one of a few KiB. On the caller's if no
// thread is allowed.
bool WriteShutdownProfileOn(RawThread& thread, const Segment& segment, const char* path);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_CORE_SHUTDOWN_PROFILE_H_
