#ifndef GECKOPROF_BASEPROFILER_SAMPLER_PROGRAM_SIGNAL_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_PROGRAM_SIGNAL_H_

#include <signal.h>

namespace geckoprof {

// ProgramSignal: what the program believes about the signal that the sampler uses. Our handler stays installed in the kernel for
// good; the program's own disposition is kept here, answered when it asks, and carried out when a signal comes that is not ours.
//
//   kernel --SIGURG--> our handler --ours--> copy, return
//                           |------not ours--> the program's handler, or nothing (default and SIG_IGN both ignore it)
//
// Threads: Exchange: any; a handler may run meanwhile on another thread and sees the old or the new disposition (sequence lock).
// Context: Exchange any but our own handler; Deliver signal context.
class ProgramSignal {
 public:
  // sigaction(2) as the program sees it. Either pointer may be null.
  static void Exchange(const struct sigaction* next, struct sigaction* previous);

  // Does what the program asked for with a signal that was not ours.
  static void Deliver(int signal, siginfo_t* info, void* context);

  // Installs our handler, taking over what the program has at the moment. Idempotent.
  static void Install(int signal);
  static bool IsInstalled();
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_PROGRAM_SIGNAL_H_
