// What libc tells us about: forks and the end of the process.
#ifndef GECKOPROF_BASEPROFILER_CORE_PROCESS_END_H_
#define GECKOPROF_BASEPROFILER_CORE_PROCESS_END_H_

namespace geckoprof {

// Registers with pthread_atfork, once; when base is loaded: what is forked before anything is recorded may record, too.
// Context: early context is fine.
void RegisterForkHooks();

// The same, and with atexit, once. Where a recording begins at the start ours is registered before anybody else's, and
// runs after all others. Context: early context is fine.
void RegisterExitHooks();

// For _exit: ends the recording, and writes the profile if the process was asked for one. Later exits are not noticed.
// Context: any, signal context included.
void EndRecordingBeforeExit();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_CORE_PROCESS_END_H_
