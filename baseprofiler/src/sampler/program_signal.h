#ifndef GECKOPROF_BASEPROFILER_SAMPLER_PROGRAM_SIGNAL_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_PROGRAM_SIGNAL_H_

#include <signal.h>

#include "geckoprof/threads/thread_slot.h"
#include "sampler/sampler_control.h"

namespace geckoprof {

// ProgramSignal: which signal the sampler uses, and what the program believes about it.
//
// Candidates are SIGURG, then SIGWINCH: both are ignored by default, so one that arrives while exec resets the handlers
// kills nobody. A program that installs something of its own for the signal in use gets it, really and at once, and the
// sampler goes on with the next candidate. Only when there is none left are both sides served through our handler:
//
//   kernel --signal--> our handler --ours--> copy, return
//                          |------not ours--> the program's handler, or nothing (default and SIG_IGN both ignore it)
//
// Threads: any. A handler that runs meanwhile on another thread sees the old or the new disposition (sequence lock).
// Context: Exchange, Install: any but our own handler. Deliver: signal context.
class ProgramSignal {
 public:
  // Installs our handler for the first candidate. Idempotent, also in a forked child.
  static void Install(SamplerControl* control);

  // Only one thread lives on, `parent_thread` in the parent: nobody else holds the lock or is about to write.
  static void AfterForkInChild(int32_t parent_thread);

  // For the sampler, now and then: a handler that was installed past sigaction (by a raw system call, as the Go runtime
  // does, or by siginterrupt) counts as the program's, and ours takes its place again. Until then the program's own
  // handler meets our requests. Never waits.
  static void ReclaimIfReplaced();

  // The signal that the sampler uses now; 0 before Install.
  static int Current();

  // sigaction(2) for Current(), as the program sees it. Either pointer may be null.
  static int Exchange(int signal, const struct sigaction* next, struct sigaction* previous);

  // Does what the program asked for with a signal that was not ours.
  static void Deliver(int signal, siginfo_t* info, void* context);

  // Whether this is a request of the sampler.
  static bool IsOurs(const siginfo_t& info);

 private:
  static void BlockForReal(ThreadSlot& slot, int signal, siginfo_t* info, void* context);
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_PROGRAM_SIGNAL_H_
