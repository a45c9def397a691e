#ifndef GECKOPROF_BASEPROFILER_SIGNAL_SIGACTION_MASK_TRANSLATOR_H_
#define GECKOPROF_BASEPROFILER_SIGNAL_SIGACTION_MASK_TRANSLATOR_H_

#include <signal.h>

#include <atomic>

#include "geckoprof/base/signals_blocked.h"

namespace geckoprof {

// SigactionMaskTranslator: whether the sampler's signal may interrupt a handler of the program, and what sigaction(2)
// shows of it.
//
//                      the program's mask holds ours       does not
//   any handler        open in the kernel, shown as set    as set
//   a fault's handler  as set                              masked in the kernel, not shown
//   on its own stack
//
// A handler that masks everything would keep our request until it returns, and there a call of the program that the
// handler's own signal interrupted could not be told from one that we interrupted. Fault handlers are the exception: an
// alternate stack is small, a second signal frame may not fit (3.6 KiB with AVX-512, of the usual 8), and a fault does
// not interrupt a system call.
//
// Where the program handles the signal in use itself, no handler that masks it may be interrupted by it: then nothing
// is kept open.
// Threads: any; two that set the same signal at once see one of both. Context: any.
class SigactionMaskTranslator {
 public:
  // What to tell the kernel of the action that the program asked for. `used`: the sampler's signal. `keeps_open`: the
  // program does not handle that one.
  struct sigaction ToKernel(const struct sigaction& asked, int signal, int used, bool keeps_open = true);

  // Turns what the kernel said of `signal` into what the program had set. To be called with what was kept before
  // ToKernel.
  struct Shown {
    bool with_ours = false;
    bool without_ours = false;
  };
  Shown ShownOf(int signal) const;
  static void ToProgram(Shown shown, int used, struct sigaction& action);

  // Sets all handlers of the program anew, whose masks were translated for `from`, as is right for `used`. Those of
  // `ours` are not the program's.
  void Retranslate(int from, int used, bool keeps_open, KernelSignalSet ours);

  // `signal` was set past ToKernel, with what the program asked for.
  void Forget(int signal);

 private:
  // Bits of signals.
  std::atomic<KernelSignalSet> with_ours_{0};
  std::atomic<KernelSignalSet> without_ours_{0};
};

// The process's own.
SigactionMaskTranslator& TheSigactionMaskTranslator();

// Whether a signal frame and our handler fit on an alternate stack.
bool FitsOurHandler(const stack_t& stack);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SIGNAL_SIGACTION_MASK_TRANSLATOR_H_
