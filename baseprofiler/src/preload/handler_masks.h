#ifndef GECKOPROF_BASEPROFILER_PRELOAD_HANDLER_MASKS_H_
#define GECKOPROF_BASEPROFILER_PRELOAD_HANDLER_MASKS_H_

#include <signal.h>

#include <atomic>
#include <cstddef>

#include "geckoprof/arch/signal_frame.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/threads/thread_slot.h"

namespace geckoprof {

// HandlerMasks decides whether the sampler's signal may interrupt a handler of the program, and what sigaction(2)
// shows.
//
//                      the program's mask holds ours       does not
//   any handler        open in the kernel, shown as set    as set
//   a fault's handler  as set                              masked in the kernel, not shown
//   on its own stack
//
// A handler may mask our signal. If that mask were in force, our request would come when the handler returns. Then we
// could not tell a call that the handler's own signal interrupted from one that our request interrupted. Handlers of
// faults are the exception. They run on small alternate stacks, and a fault does not interrupt a system call.
//
// The program may handle the signal in use itself. Then a handler that masks the signal is never interrupted by it.
// Threads: any. If two threads set the same signal at once, each sees one of the two settings. Context: any.
class HandlerMasks {
 public:
  // Returns the action for the kernel. The program asked for `asked`. `used` is the sampler's signal. `keeps_open` says
  // that the program does not handle that signal.
  struct sigaction ToKernel(const struct sigaction& asked, int signal, int used, bool keeps_open = true);

  // The difference between the kernel's mask and the program's.
  struct Shown {
    bool with_ours = false;
    bool without_ours = false;
  };
  // The caller must ask before it calls ToKernel for the same signal.
  Shown ShownOf(int signal) const;
  // Turns the kernel's `action` into the program's.
  static void ToProgram(Shown shown, int used, struct sigaction& action);

  // Translates the masks of all the program's handlers anew. They were translated for the signal `from`, and `used` is
  // in use now. The signals of `ours` have our handler, so they are left out.
  void Retranslate(int from, int used, bool keeps_open, KernelSignalSet ours);

  // Forgets `signal`, which the program set without ToKernel.
  void Forget(int signal);

  // Takes note of a handler before the program sets it. Returns true for the first handler that runs on an alternate
  // stack and that our signal may interrupt. From then on a stack may have to hold two frames.
  bool NoteHandler(int signal, const struct sigaction& action);
  bool may_nest() const { return may_nest_.load(std::memory_order_acquire); }

 private:
  // Each has one bit a signal.
  std::atomic<KernelSignalSet> with_ours_{0};
  std::atomic<KernelSignalSet> without_ours_{0};
  std::atomic<bool> may_nest_{false};
};

// Returns the object of this process.
HandlerMasks& TheHandlerMasks();

// The most stack that our handler takes for a request, below the kernel's frame.
inline constexpr size_t kHandlerStackBytes = 400;

// Returns how many frames fit on an alternate stack together with our handler. `reported_bytes` is AT_MINSIGSTKSZ, or
// 0.
SignalStackRoom RoomOn(size_t stack_bytes, size_t reported_bytes, const SignalFrame& frame);
// Returns the same for this machine. It reads the processor's figures once. Context: any, signal safe.
SignalStackRoom RoomOn(const stack_t& stack);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PRELOAD_HANDLER_MASKS_H_
