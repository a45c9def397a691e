#include "signal/sigaction_mask_translator.h"

#include <string.h>
#include <sys/auxv.h>

#include <algorithm>
#include <iterator>

#include "libc/real_functions.h"

namespace geckoprof {
namespace {

constinit SigactionMaskTranslator g_handler_masks;

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

SigactionMaskTranslator::Shown SigactionMaskTranslator::ShownOf(int signal) const {
  return {(with_ours_.load(std::memory_order_relaxed) & SignalBit(signal)) != 0,
          (without_ours_.load(std::memory_order_relaxed) & SignalBit(signal)) != 0};
}

void SigactionMaskTranslator::ToProgram(Shown shown, int used, struct sigaction& action) {
  if (shown.with_ours) sigaddset(&action.sa_mask, used);
  if (shown.without_ours) sigdelset(&action.sa_mask, used);
}

void SigactionMaskTranslator::Retranslate(int from, int used, bool keeps_open, KernelSignalSet ours) {
  for (int signal = 1; signal <= 64; ++signal) {
    constexpr KernelSignalSet kNobodys = SignalBit(SIGKILL) | SignalBit(SIGSTOP) | SignalBit(32) | SignalBit(33);
    struct sigaction found;
    if (((ours | kNobodys) & SignalBit(signal)) != 0 || RealSigaction(signal, nullptr, &found) != 0) continue;
    // First undo the translation for `from`, then translate the program's mask for `used`.
    struct sigaction asked = found;
    ToProgram(ShownOf(signal), from, asked);
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

bool FitsOurHandler(const stack_t& stack) {
  constexpr size_t kHandlerBytes = 1024;     // base's handler has no deep calls
  constexpr size_t kFrameBytesOfOld = 2048;  // MINSIGSTKSZ; old kernels have no AT_MINSIGSTKSZ (getauxval(3))
  const size_t frame_bytes = getauxval(AT_MINSIGSTKSZ);
  return stack.ss_size >= (frame_bytes != 0 ? frame_bytes : kFrameBytesOfOld) + kHandlerBytes;
}

}  // namespace geckoprof
