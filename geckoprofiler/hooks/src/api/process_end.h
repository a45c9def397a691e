#ifndef GECKOPROF_HOOKS_API_PROCESS_END_H_
#define GECKOPROF_HOOKS_API_PROCESS_END_H_

namespace geckoprof {

// The hooks keep sums and write them as markers now and then. The last ones are written when the process ends:
//
//   return from main, exit   destructors: FinishHooks
//   _exit, _Exit             hook: FinishHooks --> real function
//   execve and alike         hook: the sums of the calling thread and of ended ones --> real function
//
// A child of vfork has another pid and the memory of its parent, so it writes nothing.

// Called by the library's constructor, before other hooks are prepared.
void PrepareProcessEnd();

// Writes all that is left. Context: any, signal context included.
void FinishHooks();

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_API_PROCESS_END_H_
