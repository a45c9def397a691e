#ifndef GECKOPROF_HOOKS_API_PROCESS_END_H_
#define GECKOPROF_HOOKS_API_PROCESS_END_H_

namespace geckoprof {

// The hooks keep sums and write them as markers now and then. The last ones are written when the process ends or
// becomes another program:
//
//   return from main, exit   destructors: WriteHookSums
//   _exit, _Exit, execve     hook: WriteHookSums --> real function
//
// The other functions of the kind of execve are hooks, too.

// Looks up the functions behind the hooks.
void FindNextEndFunctions();

// Writes all sums so far, in OwnProcess alone. Context: any, signal context included.
void WriteHookSums();

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_API_PROCESS_END_H_
