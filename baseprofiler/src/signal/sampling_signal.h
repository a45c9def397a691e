#ifndef GECKOPROF_BASEPROFILER_SIGNAL_SAMPLING_SIGNAL_H_
#define GECKOPROF_BASEPROFILER_SIGNAL_SAMPLING_SIGNAL_H_

#include <signal.h>

#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/threads/thread_slot.h"
#include "recording/sampler_control.h"

namespace geckoprof {

// SamplingSignal: which signal the sampler uses, and what the program believes about it.
//
// Candidates are SIGURG, at first, and SIGWINCH: both are ignored by default, so one that arrives while exec resets the
// handlers kills nobody. The sampler goes on with the other one
//   - when the program installs something of its own for the one in use, which it then gets, really and at once;
//   - when more of the running threads have the one in use blocked than the other.
// Where it cannot (the program uses the other one, too, a thread's mask hides the signal in use, a request is still on
// its way), both sides are served through our handler, and so is the program for a candidate that was once in use:
//
//   kernel --signal--> our handler --ours--> copy, return
//                          |------not ours--> the program's handler, or nothing (default and SIG_IGN both ignore it)
//
// A handler of the program without SA_RESTART must interrupt system calls, and our requests must not: while such a one
// is served, our handler has no SA_RESTART either and the sampler sends nothing (SamplerControl::signal is 0).
//
// Threads: any. A handler that runs meanwhile on another thread sees the old or the new disposition (sequence lock).
// Context: Exchange, Install: any but our own handler. Deliver, SendAgain: any, signal context included.
class SamplingSignal {
 public:
  static constexpr int kCandidates[] = {SIGURG, SIGWINCH};
  static constexpr KernelSignalSet CandidateSet() { return SignalBit(SIGURG) | SignalBit(SIGWINCH); }
  static constexpr int OtherThan(int candidate) { return candidate == SIGURG ? SIGWINCH : SIGURG; }

  // Installs our handler for the first candidate, or for the one in use. Idempotent, also in a forked child.
  static void Install(SamplerControl* control);

  // Only one thread lives on, `parent_thread` in the parent: nobody else holds the lock or is about to write.
  static void AfterForkInChild(int32_t parent_thread);

  // For the sampler, now and then: a handler that was installed past sigaction (by a raw system call, as the Go runtime
  // does, or by siginterrupt) counts as the program's, and ours takes its place again. Until then the program's own
  // handler meets our requests. Never waits.
  static void ReclaimIfReplaced();

  // The signal that the sampler uses now, also while it sends nothing; 0 before Install.
  static int Current();

  // For the sampler: requests go by the other candidate from now on, unless the program uses that one. Never waits: who
  // answers requests that were sent with the former one is our handler still.
  static bool UseOther();

  // Whether the program's disposition for it is kept here, and not by the kernel.
  static bool IsServed(int signal);

  // For a request that is not the sampler's: calls `send` with the signal that requests go by, which stays so
  // meanwhile. False: none may be sent now. A request in the table's range for those on demand is waited for like the
  // sampler's, before the signal changes.
  static bool Lend(void (*send)(void* argument, int signal), void* argument);

  // sigaction(2) as the program sees it. Either pointer may be null. Not before Install.
  static int Exchange(int signal, const struct sigaction* next, struct sigaction* previous);

  // A candidate that was in use is served for good: a request that was sent with it may be on its way for ever.
  static void KeepServed(int signal);

  // A thread is about to hide `signal` from its mask: it is served for good. False: it is not the one in use any more.
  // To be called with every signal blocked.
  static bool NoteHidden(int signal);

  // Does what the program asked for with a signal that was not ours.
  static void Deliver(int signal, siginfo_t* info, void* context);

  // Sends a signal that this thread has taken to whom it was sent, the thread or the process, with what came with it.
  static void SendAgain(int signal, siginfo_t info);

  // Whether this is a request of the sampler.
  static bool IsOurs(const siginfo_t& info);

 private:
  static void BlockForReal(ThreadSlot& slot, int signal, const siginfo_t& info, void* context);
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SIGNAL_SAMPLING_SIGNAL_H_
