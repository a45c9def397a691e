#ifndef GECKOPROF_BASEPROFILER_SHUTDOWN_SHUTDOWN_WRITER_H_
#define GECKOPROF_BASEPROFILER_SHUTDOWN_SHUTDOWN_WRITER_H_

#include <cstdint>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/ids.h"
#include "geckoprof/config/start_parameters.h"
#include "geckoprof/segment/segment.h"
#include "sampler/raw_thread.h"

namespace geckoprof {

// ShutdownRequest: a profile for GECKOPROF_SHUTDOWN. The process ends, or is about to lose the right to write one, or a
// signal asks for it.
//
//   the command can be run          FILE           by `geckoprof recover --shutdown` (RunShutdownCommand)
//   it cannot, or fails             FILE.segment   by this process: a copy of the segment, unless FILE is no plain file
//   that cannot be written either   -              the segment stays where it is
//
// The segment's header says what failed, so `geckoprof recover` can tell.
struct ShutdownRequest {
  const Segment& segment;
  const StartParameters& parameters;
  ProcessId pid;
  bool is_own_place;  // no recorder gathers the segment's file, so it goes when the profile is there
  int64_t patience_ns = 10 * kNsPerSecond;
};

// Writes the profile on `thread`, which must not be running, because the program's stack may have only a few KiB. It
// uses the caller's stack if there is no thread, or if none is allowed. Returns true if there is a copy. The segment's
// own file is then not needed any more. Context: raw system calls only, signal context included.
bool WriteShutdownProfile(RawThread* thread, const ShutdownRequest& request);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SHUTDOWN_SHUTDOWN_WRITER_H_
