// libc's notices of forks and of the end of the process.
#ifndef GECKOPROF_BASEPROFILER_CORE_PROCESS_END_H_
#define GECKOPROF_BASEPROFILER_CORE_PROCESS_END_H_

namespace geckoprof {

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

// Called by _exit. Ends the recording, and writes the profile if the process was asked for one. Later exits are not
// noticed.
//
// Context: any, signal context included.
void EndRecordingBeforeExit();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_CORE_PROCESS_END_H_
