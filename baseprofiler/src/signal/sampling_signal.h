#ifndef GECKOPROF_BASEPROFILER_SIGNAL_SAMPLING_SIGNAL_H_
#define GECKOPROF_BASEPROFILER_SIGNAL_SAMPLING_SIGNAL_H_

#include <signal.h>

#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/config/control_request.h"
#include "geckoprof/threads/thread_slot.h"
#include "recording/sampler_control.h"
#include "signal/crash_signals.h"

namespace geckoprof {

// SamplingSignal: the signal that the sampler uses, and the program's view of that signal.
//
// The candidates are SIGURG, which is used first, and SIGWINCH. Both are ignored by default. A signal that arrives
// while exec resets the handlers therefore ends no process. The sampler moves to the other candidate in two cases:
// - The program installs a handler for the signal in use. The program then gets this signal at once.
// - More running threads have the signal in use blocked than the other one.
// The move may be impossible. The program may use both candidates, a thread's mask may hide the signal in use, or a
// request may still be on its way. Then base's handler serves both sides. It also serves the program for each candidate
// that was in use before.
//
//   kernel --signal--> base's handler --request----> copy, return
//                            |---------control----> make the thread that obeys another process, return
//                            |---------neither----> the program's handler, or nothing (default and SIG_IGN ignore it)
//
// SIGURG is also the signal of other processes (kControlSignal). Base's handler therefore serves it for ever from
// Listen on, whether the sampler uses it or not.
//
// A handler of the program without SA_RESTART must interrupt system calls, and a request must not. While base serves
// such a handler, its own handler has no SA_RESTART and the sampler sends nothing (SamplerControl::signal is 0).
//
// Threads: any. A handler that runs meanwhile on another thread sees the old or the new disposition (sequence lock).
// Context: any for Deliver and SendAgain, signal context included. Exchange and Install may not run in base's handler.
class SamplingSignal {
 public:
  static constexpr int kCandidates[] = {SIGURG, SIGWINCH};
  static constexpr KernelSignalSet CandidateSet() { return SignalBit(SIGURG) | SignalBit(SIGWINCH); }
  static constexpr int OtherThan(int candidate) { return candidate == SIGURG ? SIGWINCH : SIGURG; }

  // Installs base's handler for the first candidate, or for the signal in use, and that of CrashSignals if `report` is
  // not null. It may be called again, also in a forked child.
  static void Install(SamplerControl* control, CrashSignals::Report report = nullptr);

  // Called when base is loaded, before any other function. `obey` gets the value of each request of another process, in
  // the handler. `syscall_return` is that of CaptureTable. It costs one system call, and a second one if an inherited
  // disposition ignores the signal.
  static void Listen(void (*obey)(ControlValue value), uintptr_t syscall_return);

  // Called likewise, after Listen. `obey` gets SIGUSR1 and SIGUSR2, in the handler, as long as the program leaves them
  // at the default. The program sees the default, and its own disposition replaces base's handler for good.
  static void ListenToUser(void (*obey)(int signal));
  // Returns true if the program's disposition for `signal` may be base's handler of ListenToUser.
  static bool IsListenedToForUser(int signal);

  // Called in a forked child. The only thread was `parent_thread` in the parent. It frees the lock if
  // another thread held it.
  static void AfterForkInChild(int32_t parent_thread);

  // The sampler calls this now and then. A program may install a handler without sigaction. The Go runtime uses a raw
  // system call, for example. The handler then counts as the program's, and base's handler takes its place again. The
  // program's handler receives requests until then. This function never waits.
  static void ReclaimIfReplaced();

  // Returns the signal that the sampler uses now, also while it sends nothing. Returns 0 before Install, even if Listen
  // was called.
  static int Current();

  // The sampler calls this to send requests by the other candidate from now on. Returns false if the program uses that
  // one. It never waits, because base's handler still answers requests that were sent with the former signal.
  static bool UseOther();

  // Returns true if base keeps the program's disposition for `signal`, instead of the kernel.
  static bool IsServed(int signal);

  // Calls `send` with the signal for requests, for a request that is not the sampler's. The signal does not change
  // meanwhile. Returns false if no request may be sent now. If the request is in the table's range for captures on
  // demand, a change of the signal waits for it, as for the sampler's requests.
  static bool Lend(void (*send)(void* argument, int signal), void* argument);

  // sigaction(2) as the program sees it. Either pointer may be null. REQUIRES: Install was called, or the signal is
  // served.
  static int Exchange(int signal, const struct sigaction* next, struct sigaction* previous);

  // Replaces base's handler in a disposition that the kernel has given to the program by the program's own. The child
  // of a vfork asks the kernel, and so does a process that makes no system calls of base any more.
  static void ToProgram(int signal, struct sigaction& action);

  // Called before a thread installs a small alternate stack. From now on no request interrupts a handler of the program
  // on such a stack, as far as the masks of handlers can prevent it (SigactionMaskTranslator). A call on another thread
  // meanwhile is waited for.
  static void ProtectHandlersOnStack();

  // Base's handler serves `signal` for ever from now on, because a request with it may be on its way for ever.
  // REQUIRES: `signal` is a candidate that was in use.
  static void KeepServed(int signal);

  // Called before a thread hides `signal` from its mask. Base's handler serves the signal for ever from now on. Returns
  // false if the signal is not in use any more. REQUIRES: every signal is blocked.
  static bool NoteHidden(int signal);

  // Acts on a signal that is no request, as the program's disposition says.
  static void Deliver(int signal, siginfo_t* info, void* context);

  // Sends a signal that this thread received to its first target again, the thread or the process, with its siginfo.
  static void SendAgain(int signal, siginfo_t info);

  // Returns true if the signal is a request of the sampler or of another process.
  static bool IsRequest(const siginfo_t& info);

 private:
  static void BlockInKernel(ThreadSlot& slot, int signal, const siginfo_t& info, void* context);
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SIGNAL_SAMPLING_SIGNAL_H_
