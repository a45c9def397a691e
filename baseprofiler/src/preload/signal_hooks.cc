// The program's own use of the sampler's signal: dispositions, masks, and waiting for it.
#include "preload/signal_hooks.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include <atomic>
#include <bit>

#include "core/exported_function.h"
#include "core/profiler_core.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/threads/thread_slot.h"
#include "preload/handler_masks.h"
#include "preload/real_functions.h"
#include "process/process_control.h"
#include "sampler/program_signal.h"

namespace geckoprof {
namespace {

using WaitInfoFunction = int(const sigset_t*, siginfo_t*);
using TimedWaitFunction = int(const sigset_t*, siginfo_t*, const timespec*);
// The two that wait are cancellation points, which only libc can make.
constinit RealFunction<WaitInfoFunction> g_sigwaitinfo("sigwaitinfo");
constinit RealFunction<TimedWaitFunction> g_sigtimedwait("sigtimedwait");
// Of another libc than glibc.
using ActionFunction = int(int, const struct sigaction*, struct sigaction*);
constinit RealFunction<ActionFunction> g_sigaction("sigaction");

// In the child of a vfork the disposition is its own, while our memory is the parent's: there the kernel is asked.
bool IsServed(int signal) {
  const ProfilerCore& core = ProfilerCore::Get();
  return ProgramSignal::IsServed(signal) && !core.HasStoppedForGood() && core.IsThisProcess();
}

// Sets of the program's have more bits than the kernel's.
KernelSignalSet ToKernelSet(const sigset_t& set) {
  KernelSignalSet bits = 0;
  memcpy(&bits, &set, sizeof(bits));
  return bits;
}

// libc does not let a program block what it cancels threads and changes ids with (nptl(7)).
constexpr KernelSignalSet kSignalsOfLibc = SignalBit(32) | SignalBit(33);

// A set this large means "no handlers on this thread", not our signal in particular: workers of xz and of node do it.
// There our signal stays unblocked in the kernel, and only the program's own ones are held back.
constexpr int kWholesale = 24;

// Takes requests of the sampler off that are pending because the thread has just blocked their signals, `blocked`; puts
// back anything else.
void TakeBackPending(KernelSignalSet blocked) {
  KernelSignalSet pending = 0;
  RawSyscall(SYS_rt_sigpending, &pending, sizeof(pending));
  for (const int signal : ProgramSignal::kCandidates) {
    const KernelSignalSet set = SignalBit(signal);
    if ((pending & blocked & set) == 0) continue;
    timespec now = {};
    siginfo_t info;
    const long result = RawSyscall(SYS_rt_sigtimedwait, &set, &info, &now, sizeof(set));
    if (result == signal && !ProgramSignal::IsOurs(info)) ProgramSignal::SendAgain(signal, info);
  }
}

// What siglongjmp and the end of a handler restore goes past us: with fewer signals blocked than any set that we hide
// ours from, nothing is hidden any more.
int StillHidden(int hidden, KernelSignalSet in_kernel) {
  return std::popcount(in_kernel) >= kWholesale - 1 ? hidden : 0;
}
KernelSignalSet WithHidden(KernelSignalSet in_kernel, int hidden) {
  return hidden != 0 ? in_kernel | SignalBit(hidden) : in_kernel;
}

KernelSignalSet Changed(KernelSignalSet mask, int how, KernelSignalSet set) {
  return how == SIG_BLOCK ? mask | set : how == SIG_UNBLOCK ? mask & ~set : set;
}

// With everything blocked meanwhile: a handler finds the slot as the kernel's mask is. Returns the mask that the
// program believes it had.
KernelSignalSet ChangeMaskOf(ThreadSlot& slot, int signal, int how, KernelSignalSet set) {
  const KernelSignalSet ours = SignalBit(signal);
  const KernelSignalSet every = kEverySignal;
  KernelSignalSet before = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, &every, &before, sizeof(before));
  const KernelSignalSet seen_before = WithHidden(before, StillHidden(slot.hidden_signal, before));
  const KernelSignalSet seen = Changed(seen_before, how, set);
  // New in the mask; or the sampler has gone over to it since the thread hid the other one.
  const bool is_new = (seen & ~before & ours) != 0 || (seen_before & ~before & ~ours) != 0;
  const bool hides =
      (seen & ours) != 0 && is_new && std::popcount(seen) >= kWholesale && ProgramSignal::NoteHidden(signal);
  const KernelSignalSet after = hides ? seen & ~ours : seen;
  slot.hidden_signal = hides ? signal : 0;
  slot.blocked_signals.store(after, std::memory_order_release);
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, &after, nullptr, sizeof(after));
  if ((after & ~before & ProgramSignal::CandidateSet()) != 0) TakeBackPending(after & ~before);
  return seen_before;
}

// pthread_sigmask(3): returns the error. Like libc's a system call and nothing else, for signal context.
int ChangeMask(int how, const sigset_t* set, sigset_t* previous) {
  const int signal = ProgramSignal::Current();
  ProfilerCore& core = ProfilerCore::Get();
  ThreadSlot* slot = nullptr;
  if (signal != 0 && core.IsThisProcess()) {
    // What was hidden while recording is hidden still, afterwards.
    const bool recording = core.state() != ProfilerCore::State::kInactive;
    slot = set != nullptr && recording ? core.slots().Current() : ThreadSlots::Known();
  }
  const KernelSignalSet asked = set != nullptr ? ToKernelSet(*set) & ~kSignalsOfLibc : 0;
  if (set != nullptr && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK) return EINVAL;
  KernelSignalSet seen = 0;
  if (slot == nullptr) {
    RawSyscall(SYS_rt_sigprocmask, how, set != nullptr ? &asked : nullptr, &seen, sizeof(seen));
  } else if (set != nullptr) {
    seen = ChangeMaskOf(*slot, signal, how, asked);
  } else {
    const int hidden = slot->hidden_signal;  // a handler may block it for real meanwhile
    RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &seen, sizeof(seen));
    slot->hidden_signal = StillHidden(slot->hidden_signal, seen);
    seen = WithHidden(seen, StillHidden(hidden, seen));
  }
  if (previous != nullptr) memcpy(previous, &seen, sizeof(seen));
  return 0;
}

// Waits until signals that the sampler was just sending to this thread have come. The caller has noted why the sampler
// must not send any. It takes as long as it takes to send one, or as the sampler waits for its core meanwhile.
void AwaitSent(const SamplerControl& control) {
  constexpr int64_t kLongestNs = kNsPerSecond;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const int64_t until_ns = MonotonicNs() + kLongestNs;
  while (control.sending.load(std::memory_order_acquire) != 0 && MonotonicNs() < until_ns) RawSyscall(SYS_sched_yield);
  RawSyscall(SYS_sched_yield);  // at whose end they come
}

// The sampler may go over to the other signal then: the thread hides that one, if it hid the one before.
int Exchange(int signal, const struct sigaction* next, struct sigaction* previous) {
  const int result = ProgramSignal::Exchange(signal, next, previous);
  const ThreadSlot* const own = ThreadSlots::Known();
  if (own != nullptr && own->hidden_signal != 0 && own->hidden_signal != ProgramSignal::Current()) {
    const sigset_t none = {};
    ChangeMask(SIG_BLOCK, &none, nullptr);
  }
  return result;
}

}  // namespace

void InheritSignalMask(ThreadSlot& slot, int hidden) {
  KernelSignalSet mask = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &mask, sizeof(mask));
  slot.hidden_signal = StillHidden(hidden, mask);
  slot.blocked_signals.store(mask, std::memory_order_release);
}

void ResolveSignalFunctions() {
  g_sigwaitinfo.get();
  g_sigtimedwait.get();
  if (!IsGlibc()) g_sigaction.get();
}

}  // namespace geckoprof

GECKOPROF_EXPORT int sigaction(int signal, const struct sigaction* next, struct sigaction* previous) noexcept {
  using namespace geckoprof;
  ProfilerCore& core = ProfilerCore::Get();
  const bool is_new = next != nullptr && TheHandlerMasks().NoteHandler(signal, *next);
  if (is_new && core.IsThisProcess() && core.state() != ProfilerCore::State::kInactive) AwaitSent(core.control());
  if (!IsGlibc()) return g_sigaction.get()(signal, next, previous);
  const bool is_known = ProgramSignal::Current() != 0 && signal >= 1 && signal <= 64;
  if (!is_known || core.HasStoppedForGood() || !core.IsThisProcess()) return RealSigaction(signal, next, previous);
  return Exchange(signal, next, previous);
}

namespace geckoprof {
namespace {

// What siginterrupt(3) was told: handlers that signal(2) sets let calls fail with EINTR. libc's own set of them is not
// used: its siginterrupt would change the kernel's disposition past us.
constinit std::atomic<KernelSignalSet> g_interrupting{0};

bool Interrupts(int number) {
  return number >= 1 && number <= 64 && (g_interrupting.load(std::memory_order_relaxed) & SignalBit(number)) != 0;
}

}  // namespace
}  // namespace geckoprof

GECKOPROF_EXPORT int siginterrupt(int number, int interrupts) noexcept {
  using namespace geckoprof;
  struct sigaction action;
  if (sigaction(number, nullptr, &action) != 0) return -1;
  if (interrupts != 0) {
    g_interrupting.fetch_or(SignalBit(number), std::memory_order_relaxed);
    action.sa_flags &= ~SA_RESTART;
  } else {
    g_interrupting.fetch_and(~SignalBit(number), std::memory_order_relaxed);
    action.sa_flags |= SA_RESTART;
  }
  return sigaction(number, &action, nullptr);
}

// libc's signal under the second name that it has there.
extern "C" sighandler_t bsd_signal(int number, sighandler_t handler) noexcept;

GECKOPROF_EXPORT sighandler_t signal(int number, sighandler_t handler) noexcept {
  using namespace geckoprof;
  if ((!IsServed(number) && !Interrupts(number)) || handler == SIG_ERR) {
    const sighandler_t before = bsd_signal(number, handler);
    const bool is_known = ProgramSignal::Current() != 0 && ProfilerCore::Get().IsThisProcess();
    if (before != SIG_ERR && is_known) TheHandlerMasks().Forget(number);
    return before;
  }
  // BSD semantics, as glibc's signal: the handler stays, calls are restarted (signal(2)) unless siginterrupt was
  // called.
  struct sigaction next;
  memset(&next, 0, sizeof(next));
  next.sa_handler = handler;
  next.sa_flags = Interrupts(number) ? 0 : SA_RESTART;
  sigaddset(&next.sa_mask, number);
  struct sigaction previous;
  return sigaction(number, &next, &previous) == 0 ? previous.sa_handler : SIG_ERR;
}

// The other ways to set a disposition and to change the mask, which libc has inside itself. By libc's definitions, and
// sigset(3), in terms of those above.

// System V semantics, which `signal` is compiled to without BSD's (-std=c11): the handler serves once (signal(2)).
GECKOPROF_EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept {
  struct sigaction next;
  memset(&next, 0, sizeof(next));
  next.sa_handler = handler;
  next.sa_flags = static_cast<int>(SA_RESETHAND) | SA_NODEFER;
  struct sigaction previous;
  if (handler == SIG_ERR) errno = EINVAL;
  return handler != SIG_ERR && sigaction(number, &next, &previous) == 0 ? previous.sa_handler : SIG_ERR;
}
GECKOPROF_EXPORT sighandler_t sysv_signal(int number, sighandler_t handler) noexcept {
  return __sysv_signal(number, handler);
}
GECKOPROF_EXPORT sighandler_t ssignal(int number, sighandler_t handler) noexcept { return signal(number, handler); }

namespace geckoprof {
namespace {

// Whether it was blocked before; -1: there is no such signal.
int ChangeOne(int how, int number) {
  sigset_t set;
  sigset_t before;
  memset(&set, 0, sizeof(set));
  if (sigaddset(&set, number) != 0 || sigprocmask(how, &set, &before) != 0) return -1;
  return sigismember(&before, number);
}

}  // namespace
}  // namespace geckoprof

GECKOPROF_EXPORT int sighold(int number) noexcept { return geckoprof::ChangeOne(SIG_BLOCK, number) < 0 ? -1 : 0; }
GECKOPROF_EXPORT int sigrelse(int number) noexcept { return geckoprof::ChangeOne(SIG_UNBLOCK, number) < 0 ? -1 : 0; }
GECKOPROF_EXPORT int sigignore(int number) noexcept {
  struct sigaction next;
  memset(&next, 0, sizeof(next));
  next.sa_handler = SIG_IGN;
  return sigaction(number, &next, nullptr);
}
GECKOPROF_EXPORT sighandler_t sigset(int number, sighandler_t disposition) noexcept {
  const bool holds = disposition == SIG_HOLD;
  struct sigaction next;
  memset(&next, 0, sizeof(next));
  next.sa_handler = disposition;
  struct sigaction previous;
  if (disposition == SIG_ERR) errno = EINVAL;
  if (disposition == SIG_ERR || sigaction(number, holds ? nullptr : &next, &previous) != 0) return SIG_ERR;
  const int was_held = geckoprof::ChangeOne(holds ? SIG_BLOCK : SIG_UNBLOCK, number);
  return was_held < 0 ? SIG_ERR : was_held == 1 ? SIG_HOLD : previous.sa_handler;
}

// The room is noted whether anything is recorded or not, since a recording may begin while the stack is in use.
GECKOPROF_EXPORT int sigaltstack(const stack_t* next, stack_t* previous) noexcept {
  using namespace geckoprof;
  ProfilerCore& core = ProfilerCore::Get();
  const SignalStackRoom room = next != nullptr ? RoomOn(*next) : SignalStackRoom::kEnough;
  ThreadSlot* slot = nullptr;
  if (next != nullptr && core.IsThisProcess()) {
    slot = room != SignalStackRoom::kEnough ? core.slots().Current() : ThreadSlots::Known();
  }
  const SignalStackRoom before =
      slot != nullptr ? slot->signal_stack_room.load(std::memory_order_relaxed) : SignalStackRoom::kEnough;
  // Less room is noted before the stack is there, more after the old one is gone.
  if (slot != nullptr && room > before) {
    slot->signal_stack_room.store(room, std::memory_order_release);
    AwaitSent(core.control());
  }
  const long result = RawSyscall(SYS_sigaltstack, next, previous);
  if (slot != nullptr) slot->signal_stack_room.store(result == 0 ? room : before, std::memory_order_release);
  if (result == 0) return 0;
  errno = static_cast<int>(-result);
  return -1;
}

GECKOPROF_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* previous) noexcept {
  const int error = geckoprof::ChangeMask(how, set, previous);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

GECKOPROF_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* previous) noexcept {
  return geckoprof::ChangeMask(how, set, previous);
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
