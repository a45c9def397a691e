#ifndef GECKOPROF_BASEPROFILER_SIGNAL_CRASH_SIGNALS_H_
#define GECKOPROF_BASEPROFILER_SIGNAL_CRASH_SIGNALS_H_

#include <signal.h>

namespace geckoprof {

// CrashSignals: base's handler for the signals of a crash, while the program leaves them to the kernel.
//
//   the program's disposition   the kernel's     a crash
//   a handler, or SIG_IGN       the program's    as without base
//   SIG_DFL                     base's handler   report, set SIG_DFL, queue the same signal again, return
//
// The kernel delivers the queued signal before the thread executes another instruction. A core dump therefore has the
// registers, the stack and the siginfo of the crash. The program sees SIG_DFL, with its own flags and mask.
//
// The handler runs on the thread's alternate stack, if the program has given it one. Otherwise it runs on the crashed
// stack. Base makes no alternate stack, because handlers of the program would run on it. A stack overflow without an
// alternate stack is not reported. The kernel then ends the process, and a core dump lacks the address of the fault.
//
// Go's run time looks at dispositions by a system call, and treats a handler that it finds as its embedder's. Base
// leaves the signals of Go programs alone.
//
// Threads: any. Install and ToProgram are called with SamplingSignal's lock held, or on the only thread.
// Context: any. The handler takes no lock and allocates nothing.
class CrashSignals {
 public:
  // Called by the thread that crashed, also in the child of a vfork. It may wait for a short time.
  using Report = void (*)(int signal, const siginfo_t& info, const void* context);

  // Takes the signals that have the default disposition.
  static void InstallAll(Report report);
  // Called after the program has set the default disposition of any signal.
  static void Install(int signal);
  // Gives the signals back. Base may make no system call any more.
  static void RemoveAll();

  static bool Has(int signal);
  static bool IsOurs(const struct sigaction& action);
  // Replaces base's handler in a disposition that the program will see.
  static void ToProgram(int signal, struct sigaction& action);
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SIGNAL_CRASH_SIGNALS_H_
