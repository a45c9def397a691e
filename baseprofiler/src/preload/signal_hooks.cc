// The program's own use of the sampler's signal: dispositions, masks, and waiting for it.
#include "preload/signal_hooks.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "core/profiler_core.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/threads/thread_slot.h"
#include "preload/handler_masks.h"
#include "preload/real_functions.h"
#include "process/process_control.h"
#include "sampler/program_signal.h"

#define GECKOPROF_EXPORT extern "C" __attribute__((visibility("default")))

namespace geckoprof {
namespace {

using SignalFunction = sighandler_t(int, sighandler_t);
using StackFunction = int(const stack_t*, stack_t*);
using MaskFunction = int(int, const sigset_t*, sigset_t*);
using WaitInfoFunction = int(const sigset_t*, siginfo_t*);
using TimedWaitFunction = int(const sigset_t*, siginfo_t*, const timespec*);
constinit RealFunction<SignalFunction> g_signal("signal");
constinit RealFunction<StackFunction> g_sigaltstack("sigaltstack");
constinit RealFunction<MaskFunction> g_sigprocmask("sigprocmask");
constinit RealFunction<MaskFunction> g_pthread_sigmask("pthread_sigmask");
constinit RealFunction<WaitInfoFunction> g_sigwaitinfo("sigwaitinfo");
constinit RealFunction<TimedWaitFunction> g_sigtimedwait("sigtimedwait");

constinit HandlerMasks g_handler_masks;

// In the child of a vfork the disposition is its own, while our memory is the parent's: there the kernel is asked.
bool IsUsedBySampler(int signal) {
  return signal != 0 && signal == ProgramSignal::Current() && ProfilerCore::Get().IsThisProcess();
}

int CountSignals(const sigset_t& set) {
  uint64_t bits = 0;
  memcpy(&bits, &set, sizeof(bits));
  return __builtin_popcountll(bits);
}

// A set this large means "no handlers on this thread", not our signal in particular: workers of xz and of node do it.
// There our signal stays unblocked in the kernel, and only the program's own ones are held back.
constexpr int kWholesale = 24;

// Takes a request of the sampler off that is pending because the thread has just blocked its signal; puts back anything
// else.
void TakeBackPending(int signal) {
  const KernelSignalSet set = SignalBit(signal);
  timespec now = {};
  siginfo_t info;
  const long result = RawSyscall(SYS_rt_sigtimedwait, &set, &info, &now, sizeof(set));
  if (result != signal || ProgramSignal::IsOurs(info)) return;
  RawSyscall(SYS_rt_tgsigqueueinfo, RawSyscall(SYS_getpid), RawSyscall(SYS_gettid), signal, &info);
}

// What a change of the mask means for the signal in use.
struct MaskChange {
  bool blocks = false;
  bool unblocks = false;
  bool wholesale = false;
};

MaskChange Classify(int how, const sigset_t& set, int signal) {
  MaskChange change;
  const bool has = sigismember(&set, signal) == 1;
  change.blocks = has && how != SIG_UNBLOCK;
  change.unblocks = (has && how == SIG_UNBLOCK) || (!has && how == SIG_SETMASK);
  change.wholesale = change.blocks && CountSignals(set) >= kWholesale;
  return change;
}

int ChangeMask(MaskFunction* real, int how, const sigset_t* set, sigset_t* previous) {
  const int signal = ProgramSignal::Current();
  ProfilerCore& core = ProfilerCore::Get();
  if (signal == 0 || core.state() == ProfilerCore::State::kInactive || !core.IsThisProcess())
    return real(how, set, previous);
  ThreadSlot* const slot = set != nullptr ? core.CurrentSlot() : ProfilerCore::KnownSlot();
  if (slot == nullptr) return real(how, set, previous);
  const bool was_hidden = slot->hides_signal_from_mask;
  MaskChange change;
  sigset_t effective;
  if (set != nullptr) {
    change = Classify(how, *set, signal);
    effective = *set;
    if (change.wholesale || (change.blocks && was_hidden)) {
      sigdelset(&effective, signal);
      slot->hides_signal_from_mask = true;
    } else if (change.blocks) {
      slot->blocks_signal.store(true, std::memory_order_release);
    }
  }
  const int result = real(how, set != nullptr ? &effective : nullptr, previous);
  if (previous != nullptr && was_hidden) sigaddset(previous, signal);
  if (change.unblocks) {
    slot->blocks_signal.store(false, std::memory_order_release);
    slot->hides_signal_from_mask = false;
  } else if (change.blocks && !slot->hides_signal_from_mask) {
    TakeBackPending(signal);
  }
  return result;
}

}  // namespace

void InheritSignalMask(ThreadSlot& slot, bool hidden) {
  const int signal = ProgramSignal::Current();
  KernelSignalSet mask = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &mask, sizeof(mask));
  slot.hides_signal_from_mask = hidden;
  slot.blocks_signal.store(signal != 0 && (mask & SignalBit(signal)) != 0, std::memory_order_release);
}

}  // namespace geckoprof

GECKOPROF_EXPORT int sigaction(int signal, const struct sigaction* next, struct sigaction* previous) noexcept {
  using namespace geckoprof;
  if (IsUsedBySampler(signal)) return ProgramSignal::Exchange(signal, next, previous);
  const int used = ProgramSignal::Current();
  if (used == 0 || signal < 1 || signal > 64 || !ProfilerCore::Get().IsThisProcess())
    return RealSigaction(signal, next, previous);
  const HandlerMasks::Shown shown = g_handler_masks.ShownOf(signal);
  struct sigaction action;
  if (next != nullptr) action = g_handler_masks.ToKernel(*next, signal, used);
  const int result = RealSigaction(signal, next != nullptr ? &action : nullptr, previous);
  if (result == 0 && previous != nullptr) HandlerMasks::ToProgram(shown, used, *previous);
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

GECKOPROF_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* previous) noexcept {
  return geckoprof::ChangeMask(geckoprof::g_sigprocmask.get(), how, set, previous);
}

GECKOPROF_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* previous) noexcept {
  return geckoprof::ChangeMask(geckoprof::g_pthread_sigmask.get(), how, set, previous);
}

// A request that reaches a thread which waits for the signal synchronously is none of the program's: it waits on.
GECKOPROF_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  using namespace geckoprof;
  siginfo_t own;
  siginfo_t* const out = info != nullptr ? info : &own;
  for (;;) {
    const int result = g_sigwaitinfo.get()(set, out);
    if (result <= 0 || !ProgramSignal::IsOurs(*out)) return result;
  }
}

GECKOPROF_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  using namespace geckoprof;
  siginfo_t own;
  siginfo_t* const out = info != nullptr ? info : &own;
  for (;;) {
    const int result = g_sigtimedwait.get()(set, out, timeout);
    if (result <= 0 || !ProgramSignal::IsOurs(*out)) return result;
  }
}

GECKOPROF_EXPORT int sigwait(const sigset_t* set, int* number) {
  // Like libc's: never EINTR, and the error is returned (sigwait(3)).
  for (;;) {
    const int result = sigwaitinfo(set, nullptr);
    if (result > 0) {
      *number = result;
      return 0;
    }
    if (errno != EINTR) return errno;
  }
}
