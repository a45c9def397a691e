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
//                        the sampler's signal in the kernel's mask   shown to the program
//   any handler          never                                       as set
//   a protected handler  always, and the other candidate too         as set
//
// A handler that masks every signal would delay a request until the handler returns. The handler's own signal may have
// interrupted a system call of the program. Base could not tell such a call from one that the request interrupted.
//
// A handler is protected if two signal frames and the handler itself may not fit on the stack on which it runs. A frame
// takes several KiB with AVX-512. These handlers run on an alternate stack (SA_ONSTACK):
// - A handler of a fault. The program may have chosen its stack for a stack overflow. A fault interrupts no system
// call.
// - Any other handler, as soon as a thread has a small alternate stack (ProtectAll). Such handlers return to base's own
//   code (handler_return.h).
// A handler that does not mask its own signal (SA_NODEFER) is not protected, because it often never returns.
//
// If the program handles the signal in use itself, a handler that masks it must not be interrupted by it. Then the
// kernel's masks are as set.
//
// Threads: any. If two threads set the same signal at once, each sees one of the two results.
// Context: any.
class SigactionMaskTranslator {
 public:
  // The sampler's use of its two candidates (SamplingSignal).
  struct Use {
    int signal;
    bool keeps_open = true;  // the program does not handle `signal`
    bool may_move = true;    // the program does not handle the other candidate, so the sampler may move to it
  };

  // Returns the action for the kernel for an action that the program asked for.
  struct sigaction ToKernel(const struct sigaction& asked, int signal, const Use& use);

  // ToProgram turns the kernel's action for a signal into the program's action. `shown` must come from FindShown,
  // called before ToKernel. The members are sets of candidates.
  struct Shown {
    KernelSignalSet opened = 0;  // they are in the program's mask, and not in the kernel's
    KernelSignalSet masked = 0;  // they are in the kernel's mask, and not in the program's
  };
  Shown FindShown(int signal) const;
  static void ToProgram(const Shown& shown, struct sigaction& action);

  // Sets the program's action for `signal` in the kernel. ToKernel has made it. The result is sigaction(2)'s.
  int Set(int signal, const struct sigaction& action, struct sigaction* previous);

  // Translates all handlers of the program for `use` and sets them again. `ours` is the set of signals that base
  // serves, which are left out.
  void Retranslate(const Use& use, KernelSignalSet ours);

  // Called after `signal` was set as the program asked, without ToKernel, to a handler that runs on the normal stack or
  // to no handler.
  void Forget(int signal);

  // Protects all handlers on alternate stacks from now on. Returns true if the caller must call Retranslate.
  bool ProtectAll() { return !protects_all_.load(std::memory_order_relaxed) && !protects_all_.exchange(true); }

  // Takes note of a handler before the program sets it. `is_translated` means that ToKernel will be called for it.
  // Returns true if our signal may interrupt this handler on an alternate stack, and if there was no such handler
  // before. From then on only an ample stack may receive our signal.
  bool NoteHandler(int signal, const struct sigaction& action, bool is_translated);
  bool may_nest() const { return (on_stack_.load(std::memory_order_acquire) & ~protected_.load()) != 0; }
  // Returns the signals with a protected handler. A thread that runs such a handler has its signal blocked.
  KernelSignalSet protected_handlers() const { return on_stack_.load(std::memory_order_relaxed) & protected_.load(); }
  bool any_on_stack() const { return on_stack_.load(std::memory_order_relaxed) != 0; }

 private:
  static constexpr size_t kCandidates = 2;

  bool Protects(int signal, const struct sigaction& action) const;

  // Sets of signals. The first two belong to the candidates. For a signal in opened_, the program's mask has the
  // candidate, and the kernel's mask does not. For a signal in masked_ it is the other way round.
  std::atomic<KernelSignalSet> opened_[kCandidates] = {};
  std::atomic<KernelSignalSet> masked_[kCandidates] = {};
  std::atomic<KernelSignalSet> on_stack_{0};   // their handlers run on an alternate stack if there is one
  std::atomic<KernelSignalSet> protected_{0};  // of on_stack_: our signals do not interrupt the handler
  std::atomic<bool> protects_all_{false};
};

// The translator of this process.
SigactionMaskTranslator& TheSigactionMaskTranslator();

// The most stack that our handler takes for a request, below the kernel's frame.
inline constexpr size_t kHandlerStackBytes = 400;

// Returns the room on an alternate stack. `reported_bytes` is AT_MINSIGSTKSZ, or 0.
SignalStackRoom RoomOn(size_t stack_bytes, size_t reported_bytes, const SignalFrame& frame);
// Returns the same for this machine. It reads the processor's figures once. Context: any, signal safe.
SignalStackRoom RoomOn(const stack_t& stack);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SIGNAL_SIGACTION_MASK_TRANSLATOR_H_
