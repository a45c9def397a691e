// libc's notices of forks and of the end of the process.
#ifndef GECKOPROF_BASEPROFILER_CORE_PROCESS_END_H_
#define GECKOPROF_BASEPROFILER_CORE_PROCESS_END_H_

#include <cstdint>

#include "geckoprof/segment/segment.h"

namespace geckoprof {

// Returns true if there may be data that only the sampler can write and has not written. Examples are values of
// counters, stacks of markers and the process's title. After a long interval the clocks are such data too. Any thread
// may call it.
bool HasPendingAtExit(int64_t interval_ns);

// Counts a loss. There was such data, and the sampler had no core to write it.
void CountPendingAtExit(const Segment& segment);

// Counts the ticks since the sampler's last one as missed, if there are several. The sampler had no core for them, and
// the end of the process does not wait for it.
void CountMissedAtExit(const Segment& segment, int64_t interval_ns, int64_t now_ns);

// Registers with pthread_atfork once, when base is loaded. A child that is forked before a recording begins may then
// record too.
//
// Context: early context is allowed.
void RegisterForkHooks();

// Registers with pthread_atfork and with atexit, once. If a recording begins at the start of the process, base's
// handler is the first to be registered and the last to run.
//
// Context: early context is allowed.
void RegisterExitHooks();

// Called by _exit with its status. Ends the recording, and writes the profile if the process was asked for one. Later
// exits are not noticed.
//
// Context: any, signal context included.
void EndRecordingBeforeExit(int status);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_CORE_PROCESS_END_H_
