// The program's own use of the sampler's signal: dispositions, masks, and waits for the signal.
#include <errno.h>
#include <signal.h>
#include <string.h>

#include <atomic>
#include <bit>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/threads/thread_slot.h"
#include "hooks/hook_calls.h"
#include "libc/real_functions.h"
#include "process/process_control.h"
#include "recording/recording_state.h"
#include "runtime/exported_function.h"
#include "signal/crash_signals.h"
#include "signal/sampling_signal.h"
#include "signal/sigaction_mask_translator.h"

namespace geckoprof {
namespace {

using WaitInfoFunction = int(const sigset_t*, siginfo_t*);
using TimedWaitFunction = int(const sigset_t*, siginfo_t*, const timespec*);
// These two functions are cancellation points, which only libc can make.
constinit RealFunction<WaitInfoFunction> g_sigwaitinfo("sigwaitinfo");
constinit RealFunction<TimedWaitFunction> g_sigtimedwait("sigtimedwait");
// Used with a libc other than glibc.
using ActionFunction = int(int, const struct sigaction*, struct sigaction*);
constinit RealFunction<ActionFunction> g_sigaction("sigaction");

// Returns false in the child of a vfork. The child has its own dispositions but its parent's memory, so the kernel is
// asked there.
bool IsServed(int signal) {
  const RecordingState& state = RecordingState::Get();
  return SamplingSignal::IsServed(signal) && !state.HasStoppedForGood() && state.IsThisProcess();
}

// The program's signal sets have more bits than the kernel's.
KernelSignalSet ToKernelSet(const sigset_t& set) {
  KernelSignalSet bits = 0;
  memcpy(&bits, &set, sizeof(bits));
  return bits;
}

// Returns the rest of a timeout that the kernel has accepted. The largest timeouts have no 64 bits of nanoseconds.
timespec RestOf(const timespec& timeout, int64_t elapsed_ns) {
  timespec rest = {timeout.tv_sec - elapsed_ns / kNsPerSecond, timeout.tv_nsec - elapsed_ns % kNsPerSecond};
  if (rest.tv_nsec < 0) {
    rest.tv_nsec += kNsPerSecond;
    --rest.tv_sec;
  }
  return rest.tv_sec < 0 ? timespec{} : rest;
}

// A set of this size means "no handlers on this thread", and not the sampler's signal in particular. Workers of xz and
// of node use such sets. The sampler's signal then stays open in the kernel, and only the program's own signals are
// held back.
constexpr int kBlocksAllSize = 24;

// Removes pending requests of the sampler after the thread blocked the signals `blocked`. Any other signal is sent
// again.
void CollectPending(KernelSignalSet blocked) {
  KernelSignalSet pending = 0;
  RawSyscall(SYS_rt_sigpending, &pending, sizeof(pending));
  for (const int signal : SamplingSignal::kCandidates) {
    const KernelSignalSet set = SignalBit(signal);
    if ((pending & blocked & set) == 0) continue;
    timespec now = {};
    siginfo_t info;
    const long result = RawSyscall(SYS_rt_sigtimedwait, &set, &info, &now, sizeof(set));
    if (result == signal && !SamplingSignal::IsRequest(info)) SamplingSignal::SendAgain(signal, info);
  }
}

// siglongjmp and the end of a handler restore a mask without these hooks. If the kernel's mask has fewer signals than a
// mask that hides one, nothing is hidden any more.
int UpdateHidden(int hidden, KernelSignalSet in_kernel) {
  return std::popcount(in_kernel) >= kBlocksAllSize - 1 ? hidden : 0;
}
KernelSignalSet WithHidden(KernelSignalSet in_kernel, int hidden) {
  return hidden != 0 ? in_kernel | SignalBit(hidden) : in_kernel;
}

KernelSignalSet Changed(KernelSignalSet mask, int how, KernelSignalSet set) {
  return how == SIG_BLOCK ? mask | set : how == SIG_UNBLOCK ? mask & ~set : set;
}

// Waits until signals that the sampler was just sending to this thread have come. The caller has noted why the sampler
// must not send any. It takes as long as it takes to send one, or as the sampler waits for its core meanwhile.
void AwaitSent(SamplerControl& control) {
  constexpr int64_t kLongestNs = kNsPerSecond;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const int64_t until_ns = MonotonicNs() + kLongestNs;
  while (control.sending.load(std::memory_order_acquire) != 0 && MonotonicNs() < until_ns) RawSyscall(SYS_sched_yield);
  // The sampler disarms the timers of threads that must get no signal. It may be in the middle of its look, so the
  // second one counts.
  for (int i = 0; i < 2 && control.has_timers.load(std::memory_order_relaxed); ++i) {
    const uint32_t before = control.timer_checks.load(std::memory_order_acquire);
    control.Nudge();
    while (control.timer_checks.load(std::memory_order_acquire) == before && MonotonicNs() < until_ns) {
      RawSyscall(SYS_sched_yield);
    }
  }
  RawSyscall(SYS_sched_yield);  // the signals arrive at its end
}

// Changes the thread's mask and its slot. Every signal is blocked meanwhile, so that a handler finds the slot and the
// kernel's mask in agreement. Returns the program's former mask, with the hidden signal.
KernelSignalSet ChangeThreadMask(ThreadSlot& slot, int signal, int how, KernelSignalSet set) {
  const KernelSignalSet ours = SignalBit(signal);
  const KernelSignalSet every = kEverySignal;
  KernelSignalSet before = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, &every, &before, sizeof(before));
  const KernelSignalSet seen_before = WithHidden(before, UpdateHidden(slot.hidden_signal, before));
  const KernelSignalSet seen = Changed(seen_before, how, set);
  // The signal is new in the mask, or the sampler has moved to it since the thread hid the other one.
  const bool is_new = (seen & ~before & ours) != 0 || (seen_before & ~before & ~ours) != 0;
  const bool hides =
      (seen & ours) != 0 && is_new && std::popcount(seen) >= kBlocksAllSize && SamplingSignal::NoteHidden(signal);
  const KernelSignalSet after = hides ? seen & ~ours : seen;
  slot.hidden_signal = hides ? signal : 0;
  slot.blocked_signals.store(after, std::memory_order_release);
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, &after, nullptr, sizeof(after));
  // A request or a tick may have become pending just before the signal was blocked.
  if ((after & ~before & SamplingSignal::CandidateSet()) != 0) {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // the sampler writes the flag first, and reads the mask then
    if (slot.MayHaveTimer()) AwaitSent(RecordingState::Get().control());
    CollectPending(after & ~before);
  }
  return seen_before;
}

// pthread_sigmask(3). Returns the error. Like libc's function it only makes system calls, so signal context may call
// it.
int ChangeMask(int how, const sigset_t* set, sigset_t* previous) {
  const int signal = SamplingSignal::Current();
  RecordingState& state = RecordingState::Get();
  ThreadSlot* slot = nullptr;
  if (signal != 0 && state.IsThisProcess()) {
    // A signal that was hidden during a recording is still hidden after it.
    const bool recording = state.IsActive();
    slot = set != nullptr && recording ? state.slots().Current() : ThreadSlots::Known();
  }
  const KernelSignalSet asked = set != nullptr ? ToKernelSet(*set) & ~kSignalsOfLibc : 0;
  if (set != nullptr && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK) return EINVAL;
  KernelSignalSet seen = 0;
  if (slot == nullptr) {
    RawSyscall(SYS_rt_sigprocmask, how, set != nullptr ? &asked : nullptr, &seen, sizeof(seen));
  } else if (set != nullptr) {
    seen = ChangeThreadMask(*slot, signal, how, asked);
  } else {
    const int hidden = slot->hidden_signal;  // a handler may block it really meanwhile
    RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &seen, sizeof(seen));
    slot->hidden_signal = UpdateHidden(slot->hidden_signal, seen);
    seen = WithHidden(seen, UpdateHidden(hidden, seen));
  }
  if (previous != nullptr) memcpy(previous, &seen, sizeof(seen));
  return 0;
}

// Sets a disposition. The sampler may then move to the other signal. A thread that hid the former signal now hides the
// other one.
int Exchange(int signal, const struct sigaction* next, struct sigaction* previous) {
  const int result = SamplingSignal::Exchange(signal, next, previous);
  const ThreadSlot* const own = ThreadSlots::Known();
  if (own != nullptr && own->hidden_signal != 0 && own->hidden_signal != SamplingSignal::Current()) {
    const sigset_t none = {};
    ChangeMask(SIG_BLOCK, &none, nullptr);
  }
  return result;
}

}  // namespace

void InheritSignalMask(ThreadSlot& slot, int hidden) {
  KernelSignalSet mask = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &mask, sizeof(mask));
  slot.hidden_signal = UpdateHidden(hidden, mask);
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
  RecordingState& state = RecordingState::Get();
  const bool is_this_process = state.IsThisProcess();
  const bool is_installed = SamplingSignal::Current() != 0 || SamplingSignal::IsServed(signal);
  const bool is_known = is_installed && signal >= 1 && signal <= 64;
  const bool is_exchanged = IsGlibc() && is_known && is_this_process && !state.HasStoppedForGood();
  if (next != nullptr && is_this_process) {
    const bool is_translated = is_exchanged && !SamplingSignal::IsServed(signal);
    const bool is_new = TheSigactionMaskTranslator().NoteHandler(signal, *next, is_translated);
    if (is_new && state.IsActive()) AwaitSent(state.control());
  }
  if (!IsGlibc()) return g_sigaction.get()(signal, next, previous);
  if (is_exchanged) return Exchange(signal, next, previous);
  const int result = RealSigaction(signal, next, previous);
  if (result == 0 && previous != nullptr) {
    SamplingSignal::ToProgram(signal, *previous);
    CrashSignals::ToProgram(signal, *previous);
  }
  return result;
}

namespace geckoprof {
namespace {

// The signals for which siginterrupt(3) was called. Handlers that signal(2) sets let calls fail with EINTR for them.
// libc's own set is not used, because its siginterrupt would change the kernel's disposition without these hooks.
constinit std::atomic<KernelSignalSet> g_interrupting{0};

bool MakesCallsFail(int number) {
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

// libc's `signal` under its second name.
extern "C" sighandler_t bsd_signal(int number, sighandler_t handler) noexcept;

GECKOPROF_EXPORT sighandler_t signal(int number, sighandler_t handler) noexcept {
  using namespace geckoprof;
  const bool may_be_ours = IsGlibc() && (CrashSignals::Has(number) || SamplingSignal::IsListenedToForUser(number));
  if ((!IsServed(number) && !may_be_ours && !MakesCallsFail(number)) || handler == SIG_ERR) {
    const sighandler_t before = bsd_signal(number, handler);
    if (before != SIG_ERR && RecordingState::Get().IsThisProcess()) TheSigactionMaskTranslator().Forget(number);
    return before;
  }
  // BSD semantics as in glibc's signal. The handler stays, and calls are restarted (signal(2)) unless siginterrupt was
  // called.
  struct sigaction next;
  memset(&next, 0, sizeof(next));
  next.sa_handler = handler;
  next.sa_flags = MakesCallsFail(number) ? 0 : SA_RESTART;
  sigaddset(&next.sa_mask, number);
  struct sigaction previous;
  return sigaction(number, &next, &previous) == 0 ? previous.sa_handler : SIG_ERR;
}

// libc has further functions that set a disposition or change the mask, and they do not call the functions above. They
// are defined here in terms of those functions, after libc's definitions and sigset(3).

// System V semantics. `signal` has this meaning without BSD's features (-std=c11). The handler serves once (signal(2)).
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

// Returns 1 if the signal was blocked before, 0 if not, and -1 if there is no such signal.
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
  RecordingState& state = RecordingState::Get();
  const SignalStackRoom room = next != nullptr ? RoomOn(*next) : SignalStackRoom::kAmple;
  ThreadSlot* slot = nullptr;
  if (next != nullptr && state.IsThisProcess()) {
    slot = room != SignalStackRoom::kAmple ? state.slots().Current() : ThreadSlots::Known();
  }
  const SignalStackRoom before =
      slot != nullptr ? slot->signal_stack_room.load(std::memory_order_relaxed) : SignalStackRoom::kAmple;
  if (room == SignalStackRoom::kOneFrame && state.IsThisProcess() && !state.HasStoppedForGood()) {
    SamplingSignal::ProtectHandlersOnStack();
  }
  // Less room is noted before the stack is there, more after the old one is gone.
  if (slot != nullptr && room > before) {
    slot->signal_stack_room.store(room, std::memory_order_release);
    AwaitSent(state.control());
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

// A request that reaches a thread in a synchronous wait is not the program's signal. The thread then waits on.
GECKOPROF_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  using namespace geckoprof;
  siginfo_t own;
  siginfo_t* const out = info != nullptr ? info : &own;
  for (;;) {
    const int result = g_sigwaitinfo.get()(set, out);
    if (result <= 0 || !SamplingSignal::IsRequest(*out)) return result;
  }
}

GECKOPROF_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  using namespace geckoprof;
  siginfo_t own;
  siginfo_t* const out = info != nullptr ? info : &own;
  timespec rest;
  for (;;) {
    const int64_t begin_ns = MonotonicNs();
    const int result = g_sigtimedwait.get()(set, out, timeout);
    if (result <= 0 || !SamplingSignal::IsRequest(*out)) return result;
    if (timeout == nullptr) continue;
    rest = RestOf(*timeout, MonotonicNs() - begin_ns);
    timeout = &rest;
  }
}

GECKOPROF_EXPORT int sigwait(const sigset_t* set, int* number) {
  // Like libc's function it never returns EINTR, and it returns the error (sigwait(3)).
  for (;;) {
    const int result = sigwaitinfo(set, nullptr);
    if (result > 0) {
      *number = result;
      return 0;
    }
    if (errno != EINTR) return errno;
  }
}
