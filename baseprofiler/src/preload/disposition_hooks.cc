// The program's dispositions and alternate stacks, as far as they touch the sampler's signal.
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>

#include <algorithm>
#include <atomic>
#include <iterator>

#include "core/profiler_core.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/threads/thread_slot.h"
#include "preload/real_functions.h"
#include "sampler/program_signal.h"

#define GECKOPROF_EXPORT extern "C" __attribute__((visibility("default")))

namespace geckoprof {
namespace {

using SignalFunction = sighandler_t(int, sighandler_t);
using StackFunction = int(const stack_t*, stack_t*);
constinit RealFunction<SignalFunction> g_signal("signal");
constinit RealFunction<StackFunction> g_sigaltstack("sigaltstack");

// One bit a signal: where the kernel's mask of its handler is not what the program set, as to the sampler's signal.
constinit std::atomic<KernelSignalSet> g_masks_shown_with_ours{0};
constinit std::atomic<KernelSignalSet> g_masks_shown_without_ours{0};

// In the child of a vfork the disposition is its own, while our memory is the parent's: there the kernel is asked.
bool IsUsedBySampler(int signal) {
  return signal != 0 && signal == ProgramSignal::Current() && ProfilerCore::Get().IsThisProcess();
}

// Handlers of faults that run on an alternate stack: such stacks are small, and a second signal frame may not fit (3.6
// KiB with AVX-512, of the usual 8). Our signal waits until they return; what they interrupted was no system call.
bool RunsFaultsOnOwnStack(int signal, const struct sigaction& action) {
  constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
  const bool is_fault = std::find(std::begin(kFaults), std::end(kFaults), signal) != std::end(kFaults);
  return is_fault && (action.sa_flags & (SA_ONSTACK | SA_NODEFER)) == SA_ONSTACK;
}

// What the kernel is told of the program's action, and how it is shown to the program later.
struct sigaction WithOurSignal(const struct sigaction& asked, int signal, int used) {
  struct sigaction action = asked;
  const bool has = sigismember(&asked.sa_mask, used) == 1;
  const KernelSignalSet bit = SignalBit(signal);
  KernelSignalSet shown_with = 0;
  KernelSignalSet shown_without = 0;
  if (RunsFaultsOnOwnStack(signal, asked)) {
    if (!has) shown_without = bit;
    sigaddset(&action.sa_mask, used);
  } else if (has) {
    // A handler of the program that blocks everything would keep our request until it returns; there the interrupted
    // call of the program could not be told from one that we interrupted. So our signal stays open meanwhile.
    shown_with = bit;
    sigdelset(&action.sa_mask, used);
  }
  g_masks_shown_with_ours.store((g_masks_shown_with_ours.load(std::memory_order_relaxed) & ~bit) | shown_with,
                                std::memory_order_relaxed);
  g_masks_shown_without_ours.store((g_masks_shown_without_ours.load(std::memory_order_relaxed) & ~bit) | shown_without,
                                   std::memory_order_relaxed);
  return action;
}

// Whether a signal frame and our handler fit on the stack. The kernel says how large its frame is here
// (getauxval(3), AT_MINSIGSTKSZ); our handler calls nothing deep.
bool FitsOurHandler(const stack_t& stack) {
  constexpr size_t kHandlerBytes = 1024;
  constexpr size_t kFrameBytesOfOld = 2048;  // MINSIGSTKSZ of kernels that do not say
  const size_t frame_bytes = getauxval(AT_MINSIGSTKSZ);
  return stack.ss_size >= (frame_bytes != 0 ? frame_bytes : kFrameBytesOfOld) + kHandlerBytes;
}

}  // namespace
}  // namespace geckoprof

GECKOPROF_EXPORT int sigaction(int signal, const struct sigaction* next, struct sigaction* previous) noexcept {
  using namespace geckoprof;
  if (IsUsedBySampler(signal)) return ProgramSignal::Exchange(signal, next, previous);
  const int used = ProgramSignal::Current();
  if (used == 0 || signal < 1 || signal > 64 || !ProfilerCore::Get().IsThisProcess())
    return RealSigaction(signal, next, previous);
  const KernelSignalSet bit = SignalBit(signal);
  const bool shown_with = (g_masks_shown_with_ours.load(std::memory_order_relaxed) & bit) != 0;
  const bool shown_without = (g_masks_shown_without_ours.load(std::memory_order_relaxed) & bit) != 0;
  struct sigaction action;
  if (next != nullptr) action = WithOurSignal(*next, signal, used);
  const int result = RealSigaction(signal, next != nullptr ? &action : nullptr, previous);
  if (result == 0 && previous != nullptr) {
    if (shown_with) sigaddset(&previous->sa_mask, used);
    if (shown_without) sigdelset(&previous->sa_mask, used);
  }
  return result;
}

GECKOPROF_EXPORT sighandler_t signal(int number, sighandler_t handler) noexcept {
  using namespace geckoprof;
  if (!IsUsedBySampler(number) || handler == SIG_ERR) return g_signal.get()(number, handler);
  // BSD semantics, as glibc's signal: the handler stays, calls are restarted (signal(2)).
  struct sigaction next;
  memset(&next, 0, sizeof(next));
  next.sa_handler = handler;
  next.sa_flags = SA_RESTART;
  sigaddset(&next.sa_mask, number);
  struct sigaction previous;
  return ProgramSignal::Exchange(number, &next, &previous) == 0 ? previous.sa_handler : SIG_ERR;
}

GECKOPROF_EXPORT int sigaltstack(const stack_t* next, stack_t* previous) noexcept {
  using namespace geckoprof;
  ProfilerCore& core = ProfilerCore::Get();
  const bool recording = core.state() != ProfilerCore::State::kInactive && core.IsThisProcess();
  ThreadSlot* const slot = next != nullptr && recording ? core.CurrentSlot() : nullptr;
  const bool was_small = slot != nullptr && slot->signal_stack_too_small.load(std::memory_order_relaxed);
  const bool small = next != nullptr && (next->ss_flags & SS_DISABLE) == 0 && !FitsOurHandler(*next);
  // Set before the small one is there, cleared after it is gone.
  if (slot != nullptr && small) slot->signal_stack_too_small.store(true, std::memory_order_release);
  const int result = g_sigaltstack.get()(next, previous);
  if (slot != nullptr) slot->signal_stack_too_small.store(result == 0 ? small : was_small, std::memory_order_release);
  return result;
}
