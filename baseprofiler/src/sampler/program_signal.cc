#include "sampler/program_signal.h"

#include <string.h>

#include <atomic>

#include "core/process_control.h"
#include "geckoprof/base/futex.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/signal/capture_handler.h"
#include "preload/real_functions.h"

namespace geckoprof {
namespace {

// The program's disposition. Writers hold g_lock; a handler copies and checks the sequence, which is odd while one writes.
FutexLock g_lock;
std::atomic<uint32_t> g_sequence;
struct sigaction g_program;
std::atomic<bool> g_installed;

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

// A signal whose information the kernel had to drop (no memory for it, RLIMIT_SIGPENDING) cannot be told from anybody's; the
// program's own ones are not sent by process 0.
bool LostItsInformation(const siginfo_t& info) { return info.si_code == SI_USER && info.si_pid == 0; }

using KernelSignalSet = uint64_t;

}  // namespace

void ProgramSignal::Exchange(const struct sigaction* next, struct sigaction* previous) {
  KernelSignalSet all = ~KernelSignalSet{0};
  KernelSignalSet before = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof(KernelSignalSet));
  g_lock.Lock();
  const struct sigaction old = g_program;
  if (next != nullptr) {
    g_sequence.fetch_add(1, std::memory_order_acq_rel);
    g_program = *next;
    g_sequence.fetch_add(1, std::memory_order_release);
  }
  g_lock.Unlock();
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof(KernelSignalSet));
  if (previous != nullptr) *previous = old;
}

void ProgramSignal::Deliver(int signal, siginfo_t* info, void* context) {
  if (LostItsInformation(*info)) return;
  const struct sigaction action = CopyDisposition();
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return;
  if ((action.sa_flags & SA_RESETHAND) != 0) {
    struct sigaction reset = action;
    reset.sa_handler = SIG_DFL;
    Exchange(&reset, nullptr);
  }
  // Our own handler runs with everything blocked; the program's runs with what it asked for, beside what it interrupted.
  const auto* const interrupted = static_cast<const ucontext_t*>(context);
  KernelSignalSet mask = 0;
  KernelSignalSet wanted = 0;
  memcpy(&mask, &interrupted->uc_sigmask, sizeof(mask));
  memcpy(&wanted, &action.sa_mask, sizeof(wanted));
  mask |= wanted;
  if ((action.sa_flags & SA_NODEFER) == 0) mask |= KernelSignalSet{1} << (signal - 1);
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, sizeof(KernelSignalSet));
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, info, context);
  } else {
    action.sa_handler(signal);
  }
}

void ProgramSignal::Install(int signal) {
  if (g_installed.exchange(true, std::memory_order_acq_rel)) return;
  struct sigaction ours;
  memset(&ours, 0, sizeof(ours));
  ours.sa_sigaction = &OnSignal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  memset(&ours.sa_mask, 0xff, sizeof(ours.sa_mask));  // libc's own two as well: nothing may leave our handler halfway
  struct sigaction found;
  if (RealSigaction(signal, &ours, &found) == 0) Exchange(&found, nullptr);
}

bool ProgramSignal::IsInstalled() { return g_installed.load(std::memory_order_acquire); }

}  // namespace geckoprof
