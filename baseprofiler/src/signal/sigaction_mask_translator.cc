#include "signal/sigaction_mask_translator.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "geckoprof/base/raw_syscall.h"
#include "libc/real_functions.h"
#include "signal/crash_signals.h"
#include "signal/handler_return.h"
#include "signal/sampling_signal.h"

namespace geckoprof {
namespace {

constinit SigactionMaskTranslator g_handler_masks;
constinit std::atomic<uint64_t> g_signal_frame{0};  // a SignalFrame; 0 until it is read

// The program cannot set the dispositions of these signals.
constexpr KernelSignalSet kReserved = SignalBit(SIGKILL) | SignalBit(SIGSTOP) | kSignalsOfLibc;

bool IsFault(int signal) {
  constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
  return std::find(std::begin(kFaults), std::end(kFaults), signal) != std::end(kFaults);
}

bool IsHandler(const struct sigaction& action) { return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN; }

// Returns the size of a stack for a handler of the program and for our signal, which interrupts it.
constexpr size_t AmpleBytes(size_t frame_bytes) {
  constexpr size_t kProgramHandlerBytes = 16384;  // more than handlers use
  constexpr size_t kRedZoneBytes = 128;           // the kernel leaves it alone (System V ABI for x86-64, 3.2.2)
  return 2 * frame_bytes + kProgramHandlerBytes + kRedZoneBytes + kHandlerStackBytes;
}

void SetBit(std::atomic<KernelSignalSet>& set, int signal, bool on) {
  if (on) {
    set.fetch_or(SignalBit(signal));
  } else {
    set.fetch_and(~SignalBit(signal));
  }
}

// The kernel's own layout of a disposition.
struct KernelAction {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)();
  KernelSignalSet mask;
};

// Retranslate also runs on the sampler thread, and does without libc's sigaction. For SIGABRT, glibc 2.41 takes a lock
// that it releases by the id that it keeps of the thread. It keeps none of the sampler thread, and the lock then stays.
bool ReadAction(int signal, struct sigaction& action) {
  KernelAction kernel;
  if (RawSyscall(SYS_rt_sigaction, signal, nullptr, &kernel, sizeof(kernel.mask)) != 0) return false;
  memset(&action, 0, sizeof(action));
  action.sa_handler = kernel.handler;
  action.sa_flags = static_cast<int>(kernel.flags);
  action.sa_restorer = kernel.restorer;
  memcpy(&action.sa_mask, &kernel.mask, sizeof(kernel.mask));
  return true;
}

// REQUIRES: `action` was made from ReadAction's, so that it has a restorer.
void WriteAction(int signal, const struct sigaction& action) {
  KernelAction kernel = {action.sa_handler, static_cast<unsigned long>(action.sa_flags), action.sa_restorer, 0};
  memcpy(&kernel.mask, &action.sa_mask, sizeof(kernel.mask));
  RawSyscall(SYS_rt_sigaction, signal, &kernel, nullptr, sizeof(kernel.mask));
}

}  // namespace

SigactionMaskTranslator& TheSigactionMaskTranslator() { return g_handler_masks; }

bool SigactionMaskTranslator::Protects(int signal, const struct sigaction& action) const {
  const bool on_stack = IsHandler(action) && (action.sa_flags & (SA_ONSTACK | SA_NODEFER)) == SA_ONSTACK;
  return on_stack && (IsFault(signal) || protects_all_.load());
}

bool SigactionMaskTranslator::NoteHandler(int signal, const struct sigaction& action, bool is_translated) {
  if (signal < 1 || signal > 64 || (kReserved & SignalBit(signal)) != 0) return false;
  const bool nested = may_nest();
  const bool on_stack = IsHandler(action) && (action.sa_flags & SA_ONSTACK) != 0;
  SetBit(protected_, signal, is_translated && Protects(signal, action));
  SetBit(on_stack_, signal, on_stack);
  return !nested && may_nest();
}

struct sigaction SigactionMaskTranslator::ToKernel(const struct sigaction& asked, int signal, const Use& use) {
  struct sigaction action = asked;
  const bool is_protected = Protects(signal, asked);
  for (size_t i = 0; i < kCandidates; ++i) {
    const int candidate = SamplingSignal::kCandidates[i];
    const bool has = sigismember(&asked.sa_mask, candidate) == 1;
    const bool is_used = candidate == use.signal;
    bool masks = has;
    if (is_protected && (is_used || use.may_move)) {
      masks = true;
    } else if (!is_protected && is_used && use.keeps_open) {
      masks = false;
    }
    if (masks) {
      sigaddset(&action.sa_mask, candidate);
    } else {
      sigdelset(&action.sa_mask, candidate);
    }
    SetBit(opened_[i], signal, has && !masks);
    SetBit(masked_[i], signal, !has && masks);
  }
  return action;
}

SigactionMaskTranslator::Shown SigactionMaskTranslator::FindShown(int signal) const {
  Shown shown;
  for (size_t i = 0; i < kCandidates; ++i) {
    const KernelSignalSet candidate = SignalBit(SamplingSignal::kCandidates[i]);
    if ((opened_[i].load(std::memory_order_relaxed) & SignalBit(signal)) != 0) shown.opened |= candidate;
    if ((masked_[i].load(std::memory_order_relaxed) & SignalBit(signal)) != 0) shown.masked |= candidate;
  }
  return shown;
}

void SigactionMaskTranslator::ToProgram(const Shown& shown, struct sigaction& action) {
  for (const int candidate : SamplingSignal::kCandidates) {
    if ((shown.opened & SignalBit(candidate)) != 0) sigaddset(&action.sa_mask, candidate);
    if ((shown.masked & SignalBit(candidate)) != 0) sigdelset(&action.sa_mask, candidate);
  }
  ShowHandlerReturnOfLibc(action);
}

int SigactionMaskTranslator::Set(int signal, const struct sigaction& action, struct sigaction* previous) {
  const int result = RealSigaction(signal, &action, previous);
  if (result == 0 && Protects(signal, action)) UseOwnHandlerReturn(signal);
  return result;
}

void SigactionMaskTranslator::Retranslate(const Use& use, KernelSignalSet ours) {
  for (int signal = 1; signal <= 64; ++signal) {
    struct sigaction found;
    if (((ours | kReserved) & SignalBit(signal)) != 0 || !ReadAction(signal, found)) continue;
    // First undo the former translation, then translate the program's mask.
    struct sigaction asked = found;
    ToProgram(FindShown(signal), asked);
    if (!IsHandler(asked) || CrashSignals::IsOurs(asked)) {
      Forget(signal);
      continue;
    }
    const struct sigaction action = ToKernel(asked, signal, use);
    const bool is_as_set = memcmp(&action.sa_mask, &found.sa_mask, sizeof(KernelSignalSet)) == 0;
    if (!is_as_set || Protects(signal, action)) {
      WriteAction(signal, action);
      if (Protects(signal, action)) UseOwnHandlerReturn(signal);
    }
    NoteHandler(signal, asked, true);
  }
}

void SigactionMaskTranslator::Forget(int signal) {
  for (size_t i = 0; i < kCandidates; ++i) {
    SetBit(opened_[i], signal, false);
    SetBit(masked_[i], signal, false);
  }
  SetBit(on_stack_, signal, false);
  SetBit(protected_, signal, false);
}

SignalStackRoom RoomOn(size_t stack_bytes, size_t reported_bytes, const SignalFrame& frame) {
  const bool is_usual = stack_bytes + SignalFrame::kUncheckedBytes <= reported_bytes;  // the kernel sees to that
  const size_t frame_bytes = is_usual ? frame.usual_bytes : frame.largest_bytes;
  if (stack_bytes < frame_bytes + kHandlerStackBytes) return SignalStackRoom::kTooSmall;
  return stack_bytes < AmpleBytes(frame_bytes) ? SignalStackRoom::kOneFrame : SignalStackRoom::kAmple;
}

SignalStackRoom RoomOn(const stack_t& stack) {
  if ((stack.ss_flags & SS_DISABLE) != 0) return SignalStackRoom::kAmple;
  const int errno_before = errno;  // getauxval sets it if the kernel does not report the size
  const size_t reported_bytes = getauxval(AT_MINSIGSTKSZ);
  errno = errno_before;
  // Many stacks have room for any two frames. The processor is not asked then.
  if (reported_bytes != 0 && stack.ss_size >= AmpleBytes(reported_bytes)) return SignalStackRoom::kAmple;
  auto frame = std::bit_cast<SignalFrame>(g_signal_frame.load(std::memory_order_relaxed));
  if (frame.usual_bytes == 0) {
    frame = ReadSignalFrame(reported_bytes);
    g_signal_frame.store(std::bit_cast<uint64_t>(frame), std::memory_order_relaxed);
  }
  return RoomOn(stack.ss_size, reported_bytes, frame);
}

}  // namespace geckoprof
