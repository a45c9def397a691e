#include "signal/sampling_signal.h"

#include <errno.h>
#include <string.h>

#include <atomic>
#include <iterator>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/recursive_lock.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/signal/capture_handler.h"
#include "libc/real_functions.h"
#include "process/process_control.h"
#include "recording/recording_state.h"
#include "signal/crash_signals.h"
#include "signal/sigaction_mask_translator.h"

namespace geckoprof {
namespace {

struct Candidate {
  // The program's disposition. Writers hold g_lock. A handler copies it and checks g_sequence, which is odd during a
  // write.
  struct sigaction program;
  std::atomic<bool> is_served;     // base's handler serves the signal; written under g_lock
  std::atomic<bool> stays_served;  // see KeepServed
};
constinit RecursiveLock g_lock(LockRank::kSignal);
std::atomic<uint32_t> g_sequence;
constinit Candidate g_candidates[std::size(SamplingSignal::kCandidates)] = {};

// Written under g_lock. The sampler and the program's threads read them with acquire.
std::atomic<int> g_used{SamplingSignal::kCandidates[0]};
std::atomic<SamplerControl*> g_control;
// Set by Listen before the handler is installed, and constant from then on.
std::atomic<void (*)(ControlValue)> g_obey;  // obeys another process
std::atomic<void (*)(int)> g_obey_user;      // obeys the user's SIGUSR1 and SIGUSR2
std::atomic<uintptr_t> g_syscall_return;     // as CaptureTable::own_syscall_return, which is 0 before a recording

// REQUIRES: `signal` is a candidate.
Candidate& GetCandidate(int signal) { return g_candidates[signal == SamplingSignal::kCandidates[0] ? 0 : 1]; }

struct sigaction CopyDisposition(const Candidate& candidate) {
  struct sigaction copy;
  for (;;) {
    const uint32_t before = g_sequence.load(std::memory_order_acquire);
    memcpy(&copy, &candidate.program, sizeof(copy));
    std::atomic_thread_fence(std::memory_order_acquire);
    // A writer blocks every signal (see Exchange), so this handler never interrupts a writer on its own thread. An odd
    // number belongs to another thread and ends soon.
    if ((before & 1) == 0 && g_sequence.load(std::memory_order_relaxed) == before) return copy;
  }
}

void Repair(void* context) {
  const uintptr_t known = TheCaptureTable().own_syscall_return.load(std::memory_order_relaxed);
  RepairInterruptedCall(context, known != 0 ? known : g_syscall_return.load(std::memory_order_relaxed));
}

void OnSignal(int signal, siginfo_t* info, void* context) {
  if (CaptureSignalSafe(TheCaptureTable(), *info, context)) return;
  if (signal == kControlSignal && ControlValue::IsIn(*info)) {
    if (void (*const obey)(ControlValue) = g_obey.load(std::memory_order_relaxed)) obey(ControlValue(*info));
    return Repair(context);
  }
  if (SamplingSignal::IsListenedToForUser(signal)) {
    g_obey_user.load(std::memory_order_relaxed)(signal);
    return Repair(context);
  }
  SamplingSignal::Deliver(signal, info, context);
}

// The kernel drops SIGKILL and SIGSTOP from each mask, so the copy drops them too.
void SetDisposition(Candidate& candidate, struct sigaction next) {
  sigdelset(&next.sa_mask, SIGKILL);
  sigdelset(&next.sa_mask, SIGSTOP);
  const SignalsBlocked blocked;
  g_sequence.fetch_add(1, std::memory_order_acq_rel);
  candidate.program = next;
  g_sequence.fetch_add(1, std::memory_order_release);
}

bool HasHandler(const struct sigaction& action) { return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN; }
bool IsIgnored(const struct sigaction& action) { return action.sa_handler == SIG_IGN; }
bool InterruptsCalls(const struct sigaction& action) {
  return HasHandler(action) && (action.sa_flags & SA_RESTART) == 0;
}

// The flags of base's handler. If the program has a handler, base's handler calls it, so the program's choice of
// restart and stack counts.
int HandlerFlags(const struct sigaction& program) {
  constexpr int kUsual = SA_RESTART | SA_ONSTACK;
  return SA_SIGINFO | (HasHandler(program) ? program.sa_flags & kUsual : kUsual);
}

// Sets `previous` to the kernel's disposition from before, if it is not null.
void SetHandler(int signal, int flags, struct sigaction* previous) {
  struct sigaction ours;
  memset(&ours, 0, sizeof(ours));
  ours.sa_sigaction = &OnSignal;
  ours.sa_flags = flags;
  // libc's own two signals are blocked too, so that no code can leave the handler halfway.
  memset(&ours.sa_mask, 0xff, sizeof(ours.sa_mask));
  RealSigaction(signal, &ours, previous);
}

// The handler of a candidate.
void InstallHandler(int signal, struct sigaction* previous = nullptr) {
  Candidate& candidate = GetCandidate(signal);
  candidate.is_served.store(true, std::memory_order_release);
  SetHandler(signal, HandlerFlags(candidate.program), previous);
}

// Returns true if base's handler serves the signal although the sampler does not use it.
bool IsListenedTo(int signal) { return signal == kControlSignal && g_obey.load(std::memory_order_relaxed) != nullptr; }

bool AnyAskedOnDemand() {
  const CaptureTable& table = TheCaptureTable();
  for (uint32_t i = CaptureTable::kFirstOnDemand; i < CaptureTable::kCapacity; ++i) {
    const CaptureBuffer* const buffer = table.buffers[i].load(std::memory_order_acquire);
    if (buffer == nullptr) return false;
    if (CaptureStateIn(buffer->word.load(std::memory_order_acquire)) == CaptureState::kRequested) return true;
  }
  return false;
}

// Waits until no request with a signal other than `signal` is on its way. Returns false if this takes too long. Then
// some thread gets no core or has the signal blocked.
bool WaitUntilDrained(SamplerControl& control, int signal) {
  constexpr int kTries = 100;
  constexpr int64_t kPauseNs = 200'000;
  for (int i = 0; i < kTries; ++i) {
    const bool is_recording = ForkSafeState().load(std::memory_order_relaxed) != 0;
    const bool by_sampler = control.drained_signal.load(std::memory_order_acquire) == signal || !is_recording;
    if (by_sampler && !AnyAskedOnDemand()) return true;
    control.Nudge();
    SleepUntilNs(MonotonicNs() + kPauseNs);
  }
  return false;
}

// Makes the kernel's disposition match the program's for `signal`. Base's handler serves everything except SIG_IGN,
// which goes to the kernel. exec would otherwise turn it into the default action. This function never waits.
void Serve(int signal) {
  const struct sigaction& program = GetCandidate(signal).program;
  SamplerControl* const control = g_control.load(std::memory_order_relaxed);
  const bool is_used = control != nullptr && signal == g_used.load(std::memory_order_relaxed);
  // Requests must not interrupt a system call, and they cannot use an ignored signal. The sampler then sends nothing.
  const bool silent = IsIgnored(program) || InterruptsCalls(program);
  if (is_used && silent) control->signal.store(0, std::memory_order_release);
  if (IsIgnored(program)) {
    RealSigaction(signal, &program, nullptr);
  } else {
    InstallHandler(signal);
  }
  if (is_used && !silent) control->signal.store(signal, std::memory_order_release);
}

// Takes over the kernel's disposition as the program's, unless it is base's handler.
bool Adopt(int signal) {
  struct sigaction found;
  if (RealSigaction(signal, nullptr, &found) != 0) return false;
  if (found.sa_sigaction != &OnSignal) SetDisposition(GetCandidate(signal), found);
  return true;
}

void Interpose(int signal) {
  Adopt(signal);
  GetCandidate(signal).is_served.store(true, std::memory_order_release);
  Serve(signal);
}

// Installs base's handler for a candidate that the program does not use. Returns false if the program uses it.
bool Open(int signal) {
  if (!Adopt(signal) || GetCandidate(signal).program.sa_handler != SIG_DFL) return false;
  InstallHandler(signal);
  return true;
}

// The program wants the signal in use, so the sampler moves to the other candidate. Masks of threads that were
// translated for the former signal mean nothing for another one. A request on its way must not meet a handler of the
// program. `to_ignore` means that the program wants to ignore the signal. The move is then safe for threads that hide
// the signal.
bool VacateUsed(int signal, bool to_ignore) {
  Candidate& candidate = GetCandidate(signal);
  const int other = SamplingSignal::OtherThan(signal);
  const bool was_served = GetCandidate(other).is_served.load(std::memory_order_relaxed);
  const auto may_vacate = [&] { return to_ignore || !candidate.stays_served.load(); };
  if (candidate.program.sa_handler != SIG_DFL || !may_vacate() || !Open(other)) return false;
  SamplerControl& control = *g_control.load(std::memory_order_relaxed);
  control.signal.store(other, std::memory_order_release);
  if (WaitUntilDrained(control, other) || to_ignore) {  // an unanswered request is sent again
    g_used.store(other);
    if (may_vacate()) return true;  // see NoteHidden
    g_used.store(signal);
  }
  // The move failed and is undone. A request with the other signal is lost. The sampler sends it again, like any
  // request without an answer.
  control.signal.store(signal, std::memory_order_release);
  if (was_served) return false;
  const struct sigaction standard = GetCandidate(other).program;
  GetCandidate(other).is_served.store(false, std::memory_order_release);
  RealSigaction(other, &standard, nullptr);
  return false;
}

// The program wants a signal that was in use before.
bool VacateFormer(int signal) {
  if (IsListenedTo(signal)) return false;
  SamplerControl& control = *g_control.load(std::memory_order_relaxed);
  return !GetCandidate(signal).stays_served.load() &&
         WaitUntilDrained(control, control.signal.load(std::memory_order_relaxed));
}

bool Vacate(int signal, int used) { return signal == used ? VacateUsed(signal, false) : VacateFormer(signal); }

KernelSignalSet ServedSet() {
  KernelSignalSet served = 0;
  for (const int signal : SamplingSignal::kCandidates) {
    if (SamplingSignal::IsServed(signal)) served |= SignalBit(signal);
  }
  return served;
}

// Returns the sampler's use of its candidates, as the masks of the program's handlers must have it.
SigactionMaskTranslator::Use CurrentUse() {
  const int used = SamplingSignal::Current();
  const int other = SamplingSignal::OtherThan(used);
  struct sigaction found;
  const bool is_known = RealSigaction(other, nullptr, &found) == 0;
  const bool is_ours = is_known && found.sa_sigaction == &OnSignal;
  const bool may_move = is_known && !HasHandler(is_ours ? GetCandidate(other).program : found);
  return {used, !HasHandler(GetCandidate(used).program), may_move};
}

void Retranslate() { TheSigactionMaskTranslator().Retranslate(CurrentUse(), ServedSet()); }

// While g_lock is held, no handler of the program may run, because it could leave by siglongjmp. The signal itself
// stays open until the disposition changes. A request to this thread may be among the requests that are waited for.
KernelSignalSet BlockedWhileWaiting(int signal) {
  const ThreadSlot* const slot = ThreadSlots::Known();
  const bool hides = slot != nullptr && slot->hidden_signal == signal;
  return hides ? kEverySignal : kEverySignal & ~SignalBit(signal);
}
void BlockOtherSignals() {
  const KernelSignalSet every = kEverySignal;
  RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, &every, nullptr, sizeof(every));
}

// libc shows a disposition with the restorer, the address to which its handlers return. Base's handler has the same
// one.
struct sigaction WithRestorer(int signal, struct sigaction next) {
  constexpr int kHasRestorer = 0x0400'0000;  // the kernel's SA_RESTORER
  struct sigaction ours;
  if (RealSigaction(signal, nullptr, &ours) == 0 && (~next.sa_flags & ours.sa_flags & kHasRestorer) != 0) {
    next.sa_flags |= kHasRestorer;
    next.sa_restorer = ours.sa_restorer;
  }
  return next;
}

// Sets the program's new disposition for a signal that base's handler serves.
void SetServed(int signal, const struct sigaction& next, bool is_used) {
  Candidate& candidate = GetCandidate(signal);
  const bool silent = is_used && (IsIgnored(next) || InterruptsCalls(next));
  if (silent) {
    SamplerControl& control = *g_control.load(std::memory_order_relaxed);
    if (control.signal.exchange(0, std::memory_order_acq_rel) != 0) WaitUntilDrained(control, 0);
  }
  BlockOtherSignals();
  const bool handles = HasHandler(next);
  // If the program handles this signal, it must not interrupt a handler that masks it. The kernel then masks it too.
  if (is_used && handles != HasHandler(candidate.program)) {
    SigactionMaskTranslator::Use use = CurrentUse();
    use.keeps_open = !handles;
    TheSigactionMaskTranslator().Retranslate(use, ServedSet());
  }
  SetDisposition(candidate, WithRestorer(signal, next));
  Serve(signal);
}

// Sets the disposition of any other signal. Its mask may hold the signal in use, so the mask is translated.
int ExchangeOther(int signal, const struct sigaction* next, struct sigaction* previous) {
  SigactionMaskTranslator& masks = TheSigactionMaskTranslator();
  const SigactionMaskTranslator::Shown shown = masks.FindShown(signal);
  const int result = next == nullptr ? RealSigaction(signal, nullptr, previous)
                                     : masks.Set(signal, masks.ToKernel(*next, signal, CurrentUse()), previous);
  if (result == 0 && previous != nullptr) {
    SigactionMaskTranslator::ToProgram(shown, *previous);
    SamplingSignal::ToProgram(signal, *previous);
    CrashSignals::ToProgram(signal, *previous);
  }
  if (result == 0 && next != nullptr && next->sa_handler == SIG_DFL) CrashSignals::Install(signal);
  return result;
}

}  // namespace

void SamplingSignal::Listen(void (*obey)(ControlValue value), uintptr_t syscall_return) {
  g_syscall_return.store(syscall_return, std::memory_order_relaxed);
  g_obey.store(obey, std::memory_order_relaxed);
  struct sigaction inherited;
  InstallHandler(kControlSignal, &inherited);
  if (inherited.sa_handler == SIG_DFL || inherited.sa_sigaction == &OnSignal) return;
  SetDisposition(GetCandidate(kControlSignal), inherited);
  Serve(kControlSignal);
}

// Another disposition than the default is an inherited SIG_IGN, which stays.
void SamplingSignal::ListenToUser(void (*obey)(int signal)) {
  g_obey_user.store(obey, std::memory_order_relaxed);
  for (const int signal : {SIGUSR1, SIGUSR2}) {
    struct sigaction found;
    if (RealSigaction(signal, nullptr, &found) != 0 || found.sa_handler != SIG_DFL) continue;
    SetHandler(signal, HandlerFlags(found), nullptr);
  }
}

bool SamplingSignal::IsListenedToForUser(int signal) {
  return (signal == SIGUSR1 || signal == SIGUSR2) && g_obey_user.load(std::memory_order_relaxed) != nullptr;
}

void SamplingSignal::Install(SamplerControl* control, CrashSignals::Report report) {
  NoteUse();
  const SignalsBlocked blocked;
  RecursiveLockHolder holder(g_lock);
  const bool is_first = g_control.exchange(control, std::memory_order_acq_rel) == nullptr;
  if (is_first) {
    // An inherited disposition counts as the program's. An ignored signal stays ignored, also for programs that this
    // one executes.
    for (const int signal : kCandidates) {
      if (Adopt(signal) && GetCandidate(signal).program.sa_handler == SIG_DFL) {
        g_used.store(signal, std::memory_order_relaxed);
        break;
      }
    }
  }
  Interpose(g_used.load(std::memory_order_relaxed));
  if (is_first && TheSigactionMaskTranslator().any_on_stack()) Retranslate();
  if (report != nullptr) CrashSignals::InstallAll(report);
  control->drained_signal.store(control->signal.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void SamplingSignal::ReclaimIfReplaced() {
  const int signal = Current();
  struct sigaction found;
  if (signal == 0 || !g_lock.TryLock()) return;
  constexpr int kShaping = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  const bool known = RealSigaction(signal, nullptr, &found) == 0;
  const struct sigaction& program = GetCandidate(signal).program;
  const bool as_left = IsIgnored(program)
                           ? IsIgnored(found)
                           : found.sa_sigaction == &OnSignal && (found.sa_flags & kShaping) == HandlerFlags(program);
  const bool replaced = known && !as_left;
  // The signal in use may have changed before the lock was obtained.
  if (replaced && signal == Current()) Interpose(signal);
  g_lock.Unlock();
}

void SamplingSignal::AfterForkInChild(int32_t parent_thread) {
  g_lock.AdoptInForkedChild(parent_thread);
  // A writer that the fork cut off is not in this process. Its odd number would block readers for ever.
  if ((g_sequence.load(std::memory_order_relaxed) & 1) != 0) g_sequence.fetch_add(1, std::memory_order_relaxed);
}

int SamplingSignal::Current() {
  return g_control.load(std::memory_order_acquire) == nullptr ? 0 : g_used.load(std::memory_order_acquire);
}

bool SamplingSignal::IsServed(int signal) {
  const bool is_candidate = signal == kCandidates[0] || signal == kCandidates[1];
  return is_candidate && GetCandidate(signal).is_served.load(std::memory_order_acquire);
}

bool SamplingSignal::UseOther() {
  if (Current() == 0 || !g_lock.TryLock()) return false;
  SamplerControl& control = *g_control.load(std::memory_order_relaxed);
  const int used = Current();
  const int other = OtherThan(used);
  const bool opened = Open(other);
  if (opened) {
    g_used.store(other);
    control.signal.store(other, std::memory_order_release);
    // The masks of the program's handlers now keep the other signal open.
    Retranslate();
  }
  g_lock.Unlock();
  return opened;
}

// The lock is held during `send`. A later change of the signal therefore finds the request in the table.
bool SamplingSignal::Lend(void (*send)(void* argument, int signal), void* argument) {
  const int current = Current();
  if (current == 0) return false;  // not installed
  const SignalsBlocked blocked(BlockedWhileWaiting(current));
  RecursiveLockHolder holder(g_lock);
  const SamplerControl* const control = g_control.load(std::memory_order_relaxed);
  const int signal = control != nullptr ? control->signal.load(std::memory_order_acquire) : 0;
  if (signal != 0) send(argument, signal);
  return signal != 0;
}

void SamplingSignal::ProtectHandlersOnStack() {
  const SignalsBlocked blocked;
  RecursiveLockHolder holder(g_lock);
  if (TheSigactionMaskTranslator().ProtectAll() && Current() != 0) Retranslate();
}

int SamplingSignal::Exchange(int signal, const struct sigaction* next, struct sigaction* previous) {
  NoteUse();
  const bool may_wait = next != nullptr && IsServed(signal);
  const SignalsBlocked blocked(may_wait ? BlockedWhileWaiting(signal) : kEverySignal);
  RecursiveLockHolder holder(g_lock);
  const int used = Current();
  if (!IsServed(signal)) return ExchangeOther(signal, next, previous);
  if (signal != used) Adopt(signal);  // ReclaimIfReplaced checks only the signal in use
  const struct sigaction old = GetCandidate(signal).program;
  // If the program can have the signal for itself, its own handler goes into the kernel.
  if (next != nullptr && next->sa_handler != SIG_DFL && used != 0 && Vacate(signal, used)) {
    BlockOtherSignals();
    if (IsListenedTo(signal)) {
      SetServed(signal, *next, false);
    } else {
      if (RealSigaction(signal, next, nullptr) != 0) return -1;
      GetCandidate(signal).is_served.store(false, std::memory_order_release);
    }
    Retranslate();
  } else if (next != nullptr) {
    const bool goes_over = signal == used && IsIgnored(*next) && VacateUsed(signal, true);
    if (goes_over) Retranslate();
    SetServed(signal, *next, signal == Current());
  }
  if (previous != nullptr) *previous = old;
  return 0;
}

void SamplingSignal::ToProgram(int signal, struct sigaction& action) {
  if (action.sa_sigaction != &OnSignal) return;
  if (IsListenedToForUser(signal)) {
    memset(&action, 0, sizeof(action));
  } else {
    action = CopyDisposition(GetCandidate(signal));
  }
}

void SamplingSignal::KeepServed(int signal) {
  std::atomic<bool>& stays = GetCandidate(signal).stays_served;
  if (!stays.load(std::memory_order_relaxed)) stays.store(true);
}

// NoteHidden sets the mark before it reads the candidate. VacateUsed sets the candidate before it reads the mark. At
// least one of them sees the other's change.
bool SamplingSignal::NoteHidden(int signal) {
  KeepServed(signal);
  return g_used.load() == signal;
}

bool SamplingSignal::IsRequest(const siginfo_t& info) {
  if (info.si_signo == kControlSignal && ControlValue::IsIn(info)) return true;
  const CaptureTable& table = TheCaptureTable();
  TickTable* const ticks = table.ticks.load(std::memory_order_acquire);
  TickedThread* thread = nullptr;
  if (ticks != nullptr && IsTick(*ticks, info, &thread)) return true;
  const CaptureValue value(info);
  return info.si_code == SI_QUEUE && info.si_pid != 0 && info.si_pid == table.pid.load(std::memory_order_relaxed) &&
         value.is_marked() && table.buffers[value.index()].load(std::memory_order_relaxed) != nullptr;
}

void SamplingSignal::SendAgain(int signal, siginfo_t info) {
  const long pid = RawSyscall(SYS_getpid);
  if (info.si_code == SI_TKILL) {
    RawSyscall(SYS_rt_tgsigqueueinfo, pid, RawSyscall(SYS_gettid), signal, &info);
    return;
  }
  // The kernel accepts a negative si_code from any thread.
  if (RawSyscall(SYS_rt_sigqueueinfo, pid, signal, &info) != -EPERM) return;
  // The kernel lets only the main thread imitate signals of kill(2) or of the kernel. Other threads queue a value that
  // names no request.
  info.si_code = SI_QUEUE;
  info.si_value.sival_ptr = reinterpret_cast<void*>(~uintptr_t{0});
  RawSyscall(SYS_rt_sigqueueinfo, pid, signal, &info);
}

// The program believes that this thread has the signal blocked, and a signal has arrived. The thread blocks the signal
// really, and the signal is sent again to the same target. The kernel then finds another thread, or keeps the signal
// pending for sigwait, signalfd or unblocking.
void SamplingSignal::BlockInKernel(ThreadSlot& slot, int signal, const siginfo_t& info, void* context) {
  slot.hidden_signal = 0;
  slot.blocked_signals.fetch_or(SignalBit(signal), std::memory_order_release);
  sigaddset(&static_cast<ucontext_t*>(context)->uc_sigmask, signal);
  Repair(context);
  SendAgain(signal, info);
}

void SamplingSignal::Deliver(int signal, siginfo_t* info, void* context) {
  ThreadSlot* const slot = ThreadSlots::Known();
  if (slot != nullptr && slot->hidden_signal == signal) {
    BlockInKernel(*slot, signal, *info, context);
    return;
  }
  Candidate& candidate = GetCandidate(signal);
  const struct sigaction action = CopyDisposition(candidate);
  if (!HasHandler(action)) {  // the program must not notice the signal
    Repair(context);
    return;
  }
  // The first delivery resets the program's handler, as the kernel would do.
  if ((action.sa_flags & SA_RESETHAND) != 0) {
    RecursiveLockHolder holder(g_lock);
    struct sigaction reset = action;
    reset.sa_handler = SIG_DFL;
    SetDisposition(candidate, reset);
  }
  // Base's handler runs with every signal blocked. The program's handler runs with the interrupted mask and the signals
  // that it asked to block.
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
