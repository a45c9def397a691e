#include "sampler/program_signal.h"

#include <errno.h>
#include <string.h>

#include <atomic>
#include <iterator>

#include "core/profiler_core.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/recursive_lock.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/signal/capture_handler.h"
#include "preload/handler_masks.h"
#include "preload/own_syscall.h"
#include "preload/real_functions.h"
#include "process/process_control.h"

namespace geckoprof {
namespace {

// The program's disposition. Writers hold g_lock; a handler copies and checks the sequence, which is odd while one
// writes.
constinit RecursiveLock g_lock;
std::atomic<uint32_t> g_sequence;
struct sigaction g_program;
std::atomic<bool> g_any_hidden;  // some thread has hidden the signal in use from its mask, once

// Written under g_lock; the sampler and the program's threads read it, acquire.
constexpr int kCandidates[] = {SIGURG, SIGWINCH};
std::atomic<uint32_t> g_candidate;  // index
std::atomic<SamplerControl*> g_control;

struct sigaction CopyDisposition() {
  struct sigaction copy;
  for (;;) {
    const uint32_t before = g_sequence.load(std::memory_order_acquire);
    memcpy(&copy, &g_program, sizeof(copy));
    std::atomic_thread_fence(std::memory_order_acquire);
    // A writer that this very handler interrupted has every signal blocked (see Exchange), so an odd number ends soon.
    if ((before & 1) == 0 && g_sequence.load(std::memory_order_relaxed) == before) return copy;
  }
}

void OnSignal(int signal, siginfo_t* info, void* context) {
  if (CaptureSignalSafe(TheCaptureTable(), *info, context)) return;
  ProgramSignal::Deliver(signal, info, context);
}

// As the kernel keeps it: those two cannot be masked.
void SetDisposition(struct sigaction next) {
  sigdelset(&next.sa_mask, SIGKILL);
  sigdelset(&next.sa_mask, SIGSTOP);
  const SignalsBlocked blocked;
  g_sequence.fetch_add(1, std::memory_order_acq_rel);
  g_program = next;
  g_sequence.fetch_add(1, std::memory_order_release);
}

bool HasHandler(const struct sigaction& action) { return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN; }
bool IsIgnored(const struct sigaction& action) { return action.sa_handler == SIG_IGN; }
bool InterruptsCalls(const struct sigaction& action) {
  return HasHandler(action) && (action.sa_flags & SA_RESTART) == 0;
}

// As the program's disposition allows.
int OurFlags() {
  constexpr int kUsual = SA_RESTART | SA_ONSTACK;
  return SA_SIGINFO | (InterruptsCalls(g_program) ? g_program.sa_flags & SA_ONSTACK : kUsual);
}

void InstallOurs(int signal, int flags) {
  struct sigaction ours;
  memset(&ours, 0, sizeof(ours));
  ours.sa_sigaction = &OnSignal;
  ours.sa_flags = flags;
  memset(&ours.sa_mask, 0xff, sizeof(ours.sa_mask));  // libc's own two as well: nothing may leave our handler halfway
  RealSigaction(signal, &ours, nullptr);
}

bool AnyAskedOnDemand() {
  const CaptureTable& table = TheCaptureTable();
  for (uint32_t i = CaptureTable::kFirstOnDemand; i < CaptureTable::kCapacity; ++i) {
    const CaptureBuffer* const buffer = table.buffers[i].load(std::memory_order_acquire);
    if (buffer == nullptr) return false;
    const uint64_t state = buffer->word.load(std::memory_order_acquire) & 0xff;
    if (state == static_cast<uint64_t>(CaptureState::kRequested)) return true;
  }
  return false;
}

// Until no request that was sent with another signal is on its way. False: it takes too long, some thread gets no core
// or has the signal blocked.
bool WaitUntilDrained(const SamplerControl& control, int signal) {
  constexpr int kTries = 100;
  constexpr int64_t kPauseNs = 200'000;
  for (int i = 0; i < kTries; ++i) {
    const bool is_recording = ForkSafeState().load(std::memory_order_relaxed) != 0;
    const bool by_sampler = control.drained_signal.load(std::memory_order_acquire) == signal || !is_recording;
    if (by_sampler && !AnyAskedOnDemand()) return true;
    SleepUntilNs(MonotonicNs() + kPauseNs);
  }
  return false;
}

// Serves what the program has for `signal`: by our handler, but for SIG_IGN, which exec would turn into the default
// action if it were not the kernel's. Never waits.
void Serve(int signal) {
  SamplerControl& control = *g_control.load(std::memory_order_relaxed);
  const bool silent = IsIgnored(g_program) || InterruptsCalls(g_program);
  if (silent) control.signal.store(0, std::memory_order_release);
  if (IsIgnored(g_program)) {
    RealSigaction(signal, &g_program, nullptr);
  } else {
    InstallOurs(signal, OurFlags());
  }
  if (!silent) control.signal.store(signal, std::memory_order_release);
}

// The same with what the kernel has for it, if that is not ours.
void PutInFront(int signal) {
  struct sigaction found;
  if (RealSigaction(signal, nullptr, &found) == 0 && found.sa_sigaction != &OnSignal) SetDisposition(found);
  Serve(signal);
}

// The program wants the signal in use: the sampler moves to the next one. What was translated for the signal in use, in
// masks of threads, has no meaning for another one; and a request on its way must not meet a handler of the program.
bool MoveToNextCandidate() {
  const uint32_t index = g_candidate.load(std::memory_order_relaxed);
  if (index + 1 == std::size(kCandidates) || g_program.sa_handler != SIG_DFL || g_any_hidden.load()) return false;
  const int next = kCandidates[index + 1];
  struct sigaction found;
  if (RealSigaction(next, nullptr, &found) != 0 || found.sa_handler != SIG_DFL) return false;
  InstallOurs(next, OurFlags());
  SamplerControl& control = *g_control.load(std::memory_order_relaxed);
  control.signal.store(next, std::memory_order_release);
  if (WaitUntilDrained(control, next)) {
    g_candidate.store(index + 1);
    if (!g_any_hidden.load()) return true;  // see NoteHidden
    g_candidate.store(index);
  }
  // Back. A request with the other signal is lost, and sent again like any that nobody answers.
  control.signal.store(kCandidates[index], std::memory_order_release);
  RealSigaction(next, &found, nullptr);
  return false;
}

// The calling thread has the former signal blocked, or not; what counts is the one in use.
void NoteMaskOfCaller(KernelSignalSet mask, int signal) {
  ThreadSlot* const slot = ThreadSlots::Known();
  if (slot != nullptr) slot->blocks_signal.store((mask & SignalBit(signal)) != 0, std::memory_order_release);
}

// While g_lock is held no handler of the program may run, which might leave by siglongjmp. The signal in use stays open
// until the disposition changes: a request to this thread may be one of those that are waited for.
KernelSignalSet BlockedWhileWaiting(int signal) {
  const ThreadSlot* const slot = ThreadSlots::Known();
  const bool hides = slot != nullptr && slot->hides_signal_from_mask;
  return hides ? kEverySignal : kEverySignal & ~SignalBit(signal);
}
void BlockTheRest() {
  const KernelSignalSet every = kEverySignal;
  RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, &every, nullptr, sizeof(every));
}

// The signal in use, as the program wants it from now on, served by our handler.
void SetServed(int signal, const struct sigaction& next) {
  SamplerControl& control = *g_control.load(std::memory_order_relaxed);
  const bool silent = IsIgnored(next) || InterruptsCalls(next);
  if (silent && control.signal.exchange(0, std::memory_order_acq_rel) != 0) WaitUntilDrained(control, 0);
  BlockTheRest();
  const bool handles = HasHandler(next);
  // A handler that masks a signal which the program handles must not be interrupted by it: it is masked really.
  if (handles != HasHandler(g_program)) TheHandlerMasks().Retranslate(signal, signal, !handles);
  SetDisposition(next);
  Serve(signal);
}

// Any other signal: what its handler masks of the one in use.
int ExchangeOther(int signal, const struct sigaction* next, struct sigaction* previous, int used) {
  HandlerMasks& masks = TheHandlerMasks();
  const HandlerMasks::Shown shown = masks.ShownOf(signal);
  struct sigaction action;
  if (next != nullptr) action = masks.ToKernel(*next, signal, used, !HasHandler(g_program));
  const int result = RealSigaction(signal, next != nullptr ? &action : nullptr, previous);
  if (result == 0 && previous != nullptr) HandlerMasks::ToProgram(shown, used, *previous);
  return result;
}

}  // namespace

void ProgramSignal::Install(SamplerControl* control) {
  const SignalsBlocked blocked;
  RecursiveLockHolder holder(g_lock);
  if (g_control.exchange(control, std::memory_order_acq_rel) == nullptr) {
    // What was inherited counts as the program's: a signal that is ignored stays ignored, for what it will exec as
    // well.
    for (uint32_t i = 0; i < std::size(kCandidates); ++i) {
      struct sigaction inherited;
      if (RealSigaction(kCandidates[i], nullptr, &inherited) == 0 && inherited.sa_handler == SIG_DFL) {
        g_candidate.store(i, std::memory_order_relaxed);
        break;
      }
    }
  }
  TheCaptureTable().own_syscall_return.store(OwnSyscallReturn(), std::memory_order_relaxed);
  PutInFront(kCandidates[g_candidate.load(std::memory_order_relaxed)]);
  control->drained_signal.store(control->signal.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void ProgramSignal::ReclaimIfReplaced() {
  const int signal = Current();
  struct sigaction found;
  if (signal == 0 || !g_lock.TryLock()) return;
  constexpr int kShaping = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  const bool known = RealSigaction(signal, nullptr, &found) == 0;
  const bool as_left = IsIgnored(g_program)
                           ? IsIgnored(found)
                           : found.sa_sigaction == &OnSignal && (found.sa_flags & kShaping) == OurFlags();
  const bool replaced = known && !as_left;
  if (replaced && signal == Current()) PutInFront(signal);
  g_lock.Unlock();
}

void ProgramSignal::AfterForkInChild(int32_t parent_thread) {
  g_lock.AdoptInForkedChild(parent_thread);
  if ((g_sequence.load(std::memory_order_relaxed) & 1) != 0) g_sequence.fetch_add(1, std::memory_order_relaxed);
}

int ProgramSignal::Current() {
  return g_control.load(std::memory_order_acquire) == nullptr
             ? 0
             : kCandidates[g_candidate.load(std::memory_order_acquire)];
}

// Under the lock: whoever changes the signal afterwards finds the request in the table.
bool ProgramSignal::Lend(void (*send)(void* argument, int signal), void* argument) {
  if (Current() == 0) return false;  // not installed
  const SignalsBlocked blocked(BlockedWhileWaiting(Current()));
  RecursiveLockHolder holder(g_lock);
  const SamplerControl* const control = g_control.load(std::memory_order_relaxed);
  const int signal = control != nullptr ? control->signal.load(std::memory_order_acquire) : 0;
  if (signal != 0) send(argument, signal);
  return signal != 0;
}

int ProgramSignal::Exchange(int signal, const struct sigaction* next, struct sigaction* previous) {
  const bool may_wait = next != nullptr && signal == Current();
  const SignalsBlocked blocked(may_wait ? BlockedWhileWaiting(signal) : kEverySignal);
  RecursiveLockHolder holder(g_lock);
  if (signal != Current()) return ExchangeOther(signal, next, previous, Current());
  const struct sigaction old = g_program;
  if (next != nullptr && next->sa_handler != SIG_DFL && MoveToNextCandidate()) {
    BlockTheRest();
    if (RealSigaction(signal, next, nullptr) != 0) return -1;
    TheHandlerMasks().Retranslate(signal, Current(), true);
    NoteMaskOfCaller(blocked.before(), Current());
  } else if (next != nullptr) {
    SetServed(signal, *next);
  }
  if (previous != nullptr) *previous = old;
  return 0;
}

// One of both sees what the other does: here the mark is set before the candidate is read, there the candidate is set
// before the mark is read.
bool ProgramSignal::NoteHidden(int signal) {
  if (!g_any_hidden.load(std::memory_order_relaxed)) g_any_hidden.store(true);
  return kCandidates[g_candidate.load()] == signal;
}

bool ProgramSignal::IsOurs(const siginfo_t& info) {
  const CaptureTable& table = TheCaptureTable();
  const auto value = reinterpret_cast<uint64_t>(info.si_value.sival_ptr);
  return info.si_code == SI_QUEUE && info.si_pid != 0 && info.si_pid == table.pid.load(std::memory_order_relaxed) &&
         table.buffers[value & 0xff].load(std::memory_order_relaxed) != nullptr;
}

void ProgramSignal::SendAgain(int signal, siginfo_t info) {
  const long pid = RawSyscall(SYS_getpid);
  if (info.si_code == SI_TKILL) {
    RawSyscall(SYS_rt_tgsigqueueinfo, pid, RawSyscall(SYS_gettid), signal, &info);
    return;
  }
  if (RawSyscall(SYS_rt_sigqueueinfo, pid, signal, &info) != -EPERM) return;
  // What kill(2) and the kernel send may be imitated by the main thread only. The value names no request.
  info.si_code = SI_QUEUE;
  info.si_value.sival_ptr = reinterpret_cast<void*>(~uintptr_t{0});
  RawSyscall(SYS_rt_sigqueueinfo, pid, signal, &info);
}

// The program believes that this thread has the signal blocked, and here is one for it. From now on it is blocked, and
// the signal is sent again to whom it was sent: the kernel finds another thread, or keeps it pending for sigwait,
// signalfd or unblocking.
void ProgramSignal::BlockForReal(ThreadSlot& slot, int signal, const siginfo_t& info, void* context) {
  slot.hides_signal_from_mask = false;
  slot.blocks_signal.store(true, std::memory_order_release);
  sigaddset(&static_cast<ucontext_t*>(context)->uc_sigmask, signal);
  RepairInterruptedCall(context, TheCaptureTable().own_syscall_return.load(std::memory_order_relaxed));
  SendAgain(signal, info);
}

void ProgramSignal::Deliver(int signal, siginfo_t* info, void* context) {
  if (signal != Current()) return;  // of a candidate that we move to, or have moved back from: the default action
  ThreadSlot* const slot = ThreadSlots::Known();
  if (slot != nullptr && slot->hides_signal_from_mask) {
    BlockForReal(*slot, signal, *info, context);
    return;
  }
  const struct sigaction action = CopyDisposition();
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return;
  if ((action.sa_flags & SA_RESETHAND) != 0) {
    RecursiveLockHolder holder(g_lock);
    struct sigaction reset = action;
    reset.sa_handler = SIG_DFL;
    SetDisposition(reset);
  }
  // Our own handler runs with everything blocked; the program's runs with what it asked for, beside what it
  // interrupted.
  const auto* const interrupted = static_cast<const ucontext_t*>(context);
  KernelSignalSet mask = 0;
  KernelSignalSet wanted = 0;
  memcpy(&mask, &interrupted->uc_sigmask, sizeof(mask));
  memcpy(&wanted, &action.sa_mask, sizeof(wanted));
  mask |= wanted;
  if ((action.sa_flags & SA_NODEFER) == 0) mask |= SignalBit(signal);
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, sizeof(KernelSignalSet));
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, info, context);
  } else {
    action.sa_handler(signal);
  }
}

}  // namespace geckoprof
