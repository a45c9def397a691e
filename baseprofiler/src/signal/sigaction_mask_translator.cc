#include "signal/sigaction_mask_translator.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "libc/real_functions.h"

namespace geckoprof {
namespace {

constinit SigactionMaskTranslator g_handler_masks;
constinit std::atomic<uint64_t> g_signal_frame{0};  // a SignalFrame; 0 until it is read

bool IsFaultOnOwnStack(int signal, const struct sigaction& action) {
  constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
  const bool is_fault = std::find(std::begin(kFaults), std::end(kFaults), signal) != std::end(kFaults);
  return is_fault && (action.sa_flags & (SA_ONSTACK | SA_NODEFER)) == SA_ONSTACK;
}

void SetBit(std::atomic<KernelSignalSet>& set, KernelSignalSet bit, bool on) {
  if (on) {
    set.fetch_or(bit, std::memory_order_relaxed);
  } else {
    set.fetch_and(~bit, std::memory_order_relaxed);
  }
}

}  // namespace

SigactionMaskTranslator& TheSigactionMaskTranslator() { return g_handler_masks; }

bool SigactionMaskTranslator::NoteHandler(int signal, const struct sigaction& action) {
  const bool is_handler = action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
  const bool nests = is_handler && (action.sa_flags & SA_ONSTACK) != 0 && !IsFaultOnOwnStack(signal, action);
  return nests && !may_nest_.exchange(true);
}

struct sigaction SigactionMaskTranslator::ToKernel(const struct sigaction& asked, int signal, int used,
                                                   bool keeps_open) {
  struct sigaction action = asked;
  const bool has = sigismember(&asked.sa_mask, used) == 1;
  // A fault's handler on an alternate stack always masks the signal in use.
  const bool masks = IsFaultOnOwnStack(signal, asked) || (has && !keeps_open);
  if (masks) {
    sigaddset(&action.sa_mask, used);
  } else {
    sigdelset(&action.sa_mask, used);
  }
  SetBit(with_ours_, SignalBit(signal), has && !masks);
  SetBit(without_ours_, SignalBit(signal), !has && masks);
  return action;
}

SigactionMaskTranslator::Shown SigactionMaskTranslator::FindShown(int signal) const {
  return {(with_ours_.load(std::memory_order_relaxed) & SignalBit(signal)) != 0,
          (without_ours_.load(std::memory_order_relaxed) & SignalBit(signal)) != 0};
}

void SigactionMaskTranslator::ToProgram(Shown shown, int used, struct sigaction& action) {
  if (shown.with_ours) sigaddset(&action.sa_mask, used);
  if (shown.without_ours) sigdelset(&action.sa_mask, used);
}

void SigactionMaskTranslator::Retranslate(int from, int used, bool keeps_open, KernelSignalSet ours) {
  for (int signal = 1; signal <= 64; ++signal) {
    constexpr KernelSignalSet kReserved = SignalBit(SIGKILL) | SignalBit(SIGSTOP) | kSignalsOfLibc;
    struct sigaction found;
    if (((ours | kReserved) & SignalBit(signal)) != 0 || RealSigaction(signal, nullptr, &found) != 0) continue;
    // First undo the translation for `from`, then translate the program's mask for `used`.
    struct sigaction asked = found;
    ToProgram(FindShown(signal), from, asked);
    Forget(signal);
    if (asked.sa_handler == SIG_DFL || asked.sa_handler == SIG_IGN) continue;
    const struct sigaction action = ToKernel(asked, signal, used, keeps_open);
    if (memcmp(&action.sa_mask, &found.sa_mask, sizeof(KernelSignalSet)) != 0) RealSigaction(signal, &action, nullptr);
  }
}

void SigactionMaskTranslator::Forget(int signal) {
  SetBit(with_ours_, SignalBit(signal), false);
  SetBit(without_ours_, SignalBit(signal), false);
}

SignalStackRoom RoomOn(size_t stack_bytes, size_t reported_bytes, const SignalFrame& frame) {
  const bool is_usual = stack_bytes + SignalFrame::kUncheckedBytes <= reported_bytes;  // the kernel sees to that
  const size_t one_bytes = (is_usual ? frame.usual_bytes : frame.largest_bytes) + kHandlerStackBytes;
  if (stack_bytes < one_bytes) return SignalStackRoom::kTooSmall;
  const size_t two_bytes = 2 * size_t{frame.usual_bytes} + kHandlerStackBytes;
  return stack_bytes < two_bytes ? SignalStackRoom::kOneFrame : SignalStackRoom::kTwoFrames;
}

SignalStackRoom RoomOn(const stack_t& stack) {
  if ((stack.ss_flags & SS_DISABLE) != 0) return SignalStackRoom::kTwoFrames;
  const int errno_before = errno;  // getauxval sets it if the kernel does not report the size
  const size_t reported_bytes = getauxval(AT_MINSIGSTKSZ);
  errno = errno_before;
  // Most stacks have room for any two frames. The processor is not asked then.
  if (reported_bytes != 0 && stack.ss_size >= 2 * reported_bytes + kHandlerStackBytes)
    return SignalStackRoom::kTwoFrames;
  auto frame = std::bit_cast<SignalFrame>(g_signal_frame.load(std::memory_order_relaxed));
  if (frame.usual_bytes == 0) {
    frame = ReadSignalFrame(reported_bytes);
    g_signal_frame.store(std::bit_cast<uint64_t>(frame), std::memory_order_relaxed);
  }
  return RoomOn(stack.ss_size, reported_bytes, frame);
}

}  // namespace geckoprof
