#ifndef GECKOPROF_BASEPROFILER_SIGNAL_SIGACTION_MASK_TRANSLATOR_H_
#define GECKOPROF_BASEPROFILER_SIGNAL_SIGACTION_MASK_TRANSLATOR_H_

#include <signal.h>

#include <atomic>
#include <cstddef>

#include "geckoprof/arch/signal_frame.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/threads/thread_slot.h"

namespace geckoprof {

// SigactionMaskTranslator: decides if the sampler's signal may interrupt a handler of the program, and shows the
// program the mask that it set.
//
//                      the program's mask has the signal in use   has not
//   any handler        open in the kernel, shown as set           as set
//   a fault's handler  as set                                     masked in the kernel, not shown
//   on its own stack
//
// A handler that masks every signal would delay a request until the handler returns. The handler's own signal may have
// interrupted a system call of the program. Base could not tell such a call from one that the request interrupted.
//
// Fault handlers are the exception. An alternate stack is small, and a second signal frame may not fit. A frame takes
// several KiB with AVX-512. A fault does not interrupt a system call.
//
// If the program handles the signal in use itself, a handler that masks it must not be interrupted by it. Then the
// kernel's masks are as set.
//
// Threads: any. If two threads set the same signal at once, each sees one of the two results.
// Context: any.
class SigactionMaskTranslator {
 public:
  // Returns the action for the kernel for an action that the program asked for. `used` is the sampler's signal.
  // `keeps_open` means that the program does not handle that signal.
  struct sigaction ToKernel(const struct sigaction& asked, int signal, int used, bool keeps_open = true);

  // ToProgram turns the kernel's action for a signal into the program's action. `shown` must come from FindShown,
  // called before ToKernel.
  struct Shown {
    bool with_ours = false;
    bool without_ours = false;
  };
  Shown FindShown(int signal) const;
  static void ToProgram(Shown shown, int used, struct sigaction& action);

  // Sets all handlers of the program again. Their masks were translated for `from`, and now they are translated for
  // `used`. `ours` is the set of signals that base serves, which are left out.
  void Retranslate(int from, int used, bool keeps_open, KernelSignalSet ours);

  // Called after `signal` was set as the program asked, without ToKernel.
  void Forget(int signal);

  // Takes note of a handler before the program sets it. Returns true for the first handler that runs on an alternate
  // stack and that our signal may interrupt. From then on a stack may have to hold two frames.
  bool NoteHandler(int signal, const struct sigaction& action);
  bool may_nest() const { return may_nest_.load(std::memory_order_acquire); }

 private:
  // Sets of signals. For a signal in with_ours_, the program's mask has the signal in use, and the kernel's mask does
  // not. For a signal in without_ours_ it is the other way round.
  std::atomic<KernelSignalSet> with_ours_{0};
  std::atomic<KernelSignalSet> without_ours_{0};
  std::atomic<bool> may_nest_{false};
};

// The translator of this process.
SigactionMaskTranslator& TheSigactionMaskTranslator();

// The most stack that our handler takes for a request, below the kernel's frame.
inline constexpr size_t kHandlerStackBytes = 400;

// Returns how many frames fit on an alternate stack together with our handler. `reported_bytes` is AT_MINSIGSTKSZ, or
// 0.
SignalStackRoom RoomOn(size_t stack_bytes, size_t reported_bytes, const SignalFrame& frame);
// Returns the same for this machine. It reads the processor's figures once. Context: any, signal safe.
SignalStackRoom RoomOn(const stack_t& stack);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SIGNAL_SIGACTION_MASK_TRANSLATOR_H_
