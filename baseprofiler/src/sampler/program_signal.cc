#include "sampler/program_signal.h"

#include <string.h>

#include <atomic>
#include <iterator>

#include "core/profiler_core.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/recursive_lock.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/signal/capture_handler.h"
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

void SetDisposition(const struct sigaction& next) {
  g_sequence.fetch_add(1, std::memory_order_acq_rel);
  g_program = next;
  g_sequence.fetch_add(1, std::memory_order_release);
}

void InstallOurs(int signal) {
  const SignalsBlocked blocked;
  struct sigaction ours;
  memset(&ours, 0, sizeof(ours));
  ours.sa_sigaction = &OnSignal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  memset(&ours.sa_mask, 0xff, sizeof(ours.sa_mask));  // libc's own two as well: nothing may leave our handler halfway
  struct sigaction found;
  if (RealSigaction(signal, &ours, &found) == 0 && found.sa_sigaction != &OnSignal) SetDisposition(found);
}

// The program wants the signal in use: the sampler moves to the next one. Requests on their way are waited for, since a
// handler of the program must not get them; a thread that does not answer in time has its signal blocked and will not
// get it soon.
bool MoveToNextCandidate() {
  const uint32_t index = g_candidate.load(std::memory_order_relaxed);
  if (index + 1 == std::size(kCandidates)) return false;
  struct sigaction next;
  if (RealSigaction(kCandidates[index + 1], nullptr, &next) != 0 || next.sa_handler != SIG_DFL) return false;
  InstallOurs(kCandidates[index + 1]);
  SamplerControl* const control = g_control.load(std::memory_order_relaxed);
  g_candidate.store(index + 1, std::memory_order_release);
  control->signal.store(kCandidates[index + 1], std::memory_order_release);
  constexpr int kTries = 100;
  constexpr int64_t kPauseNs = 200'000;
  for (int i = 0; i < kTries && control->drained_signal.load(std::memory_order_acquire) != kCandidates[index + 1];
       ++i) {
    if (ForkSafeState().load(std::memory_order_relaxed) != 1) break;  // no sampler that could answer
    SleepUntilNs(MonotonicNs() + kPauseNs);
  }
  return true;
}

}  // namespace

void ProgramSignal::Install(SamplerControl* control) {
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
  const int signal = kCandidates[g_candidate.load(std::memory_order_relaxed)];
  control->signal.store(signal, std::memory_order_release);
  control->drained_signal.store(signal, std::memory_order_relaxed);
  InstallOurs(signal);
}

void ProgramSignal::ReclaimIfReplaced() {
  const int signal = Current();
  struct sigaction found;
  if (signal == 0 || RealSigaction(signal, nullptr, &found) != 0) return;
  if (found.sa_sigaction == &OnSignal && (found.sa_flags & SA_RESTART) != 0) return;
  if (!g_lock.TryLock()) return;
  if (signal == Current()) InstallOurs(signal);
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

int ProgramSignal::Exchange(int signal, const struct sigaction* next, struct sigaction* previous) {
  RecursiveLockHolder holder(g_lock);
  if (signal != Current()) return RealSigaction(signal, next, previous);  // another thread was faster
  const struct sigaction old = g_program;
  if (next != nullptr && next->sa_handler != SIG_DFL && MoveToNextCandidate()) {
    struct sigaction ours;
    const int result = RealSigaction(signal, next, &ours);
    if (result == 0 && previous != nullptr) *previous = old;
    return result;
  }
  if (next != nullptr) {
    const SignalsBlocked blocked;
    SetDisposition(*next);
  }
  if (previous != nullptr) *previous = old;
  return 0;
}

bool ProgramSignal::IsOurs(const siginfo_t& info) {
  const CaptureTable& table = TheCaptureTable();
  const auto value = reinterpret_cast<uint64_t>(info.si_value.sival_ptr);
  return info.si_code == SI_QUEUE && info.si_pid != 0 && info.si_pid == table.pid.load(std::memory_order_relaxed) &&
         table.buffers[value & 0xff].load(std::memory_order_relaxed) != nullptr;
}

// The program believes that this thread has the signal blocked, and here is one for it. From now on it is blocked, and
// the signal is sent again to whom it was sent: the kernel finds another thread, or keeps it pending for sigwait,
// signalfd or unblocking.
void ProgramSignal::BlockForReal(ThreadSlot& slot, int signal, siginfo_t* info, void* context) {
  slot.hides_signal_from_mask = false;
  slot.blocks_signal.store(true, std::memory_order_release);
  sigaddset(&static_cast<ucontext_t*>(context)->uc_sigmask, signal);
  const long pid = RawSyscall(SYS_getpid);
  if (info->si_code == SI_TKILL) {
    RawSyscall(SYS_rt_tgsigqueueinfo, pid, RawSyscall(SYS_gettid), signal, info);
  } else {
    RawSyscall(SYS_rt_sigqueueinfo, pid, signal, info);
  }
}

void ProgramSignal::Deliver(int signal, siginfo_t* info, void* context) {
  if (LostItsInformation(*info)) return;
  ThreadSlot* const slot = ProfilerCore::KnownSlot();
  if (slot != nullptr && slot->hides_signal_from_mask) {
    BlockForReal(*slot, signal, info, context);
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
