#ifndef GECKOPROF_HOOKS_API_PROCESS_END_H_
#define GECKOPROF_HOOKS_API_PROCESS_END_H_

namespace geckoprof {

// The hooks keep sums and write them as markers now and then. The last ones are written when the process ends:
//
//   return from main, exit   destructors: FinishHooks
//   _exit, _Exit             hook: FinishHooks --> real function
//   execve and alike         hook: WriteHookSums --> real function
//
// Only OwnProcess writes them.

// Looks up the functions behind the hooks.
void FindNextEndFunctions();

// Writes the sums of the calling thread and of ended ones. The process goes on. Context: any, signal context included.
void WriteHookSums();

// Writes all that is left. Context: any, signal context included.
void FinishHooks();

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_API_PROCESS_END_H_
