#include "tools/record/program_stops.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <optional>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "tools/support/process_state.h"

namespace geckoprof {
namespace {

constexpr int64_t kLookNs = 50 * kNsPerMs;

enum class Life : uint8_t { kUnknown, kStopped, kGoesOn };

Life LifeOf(pid_t pid) {
  const std::optional<ProcessState> state = ReadProcessState(pid);
  if (!state.has_value()) return Life::kUnknown;
  return state->letter == 'T' || state->letter == 't' ? Life::kStopped : Life::kGoesOn;
}

Fd OpenTerminal() { return Fd::Open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC); }

bool IsPending(int signal_number) {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, signal_number) == 1;
}

}  // namespace

void ProgramStops::OnStopped(int signal_number) {
  is_stopped_ = true;
  // Somebody stopped both and continues both: what is said of the program may be older than our SIGCONT.
  if (IsPending(SIGCONT) || LifeOf(program_) != Life::kStopped) return;
  const Fd terminal = OpenTerminal();
  const pid_t group = getpgid(program_);
  front_group_ = group != getpgrp() && terminal.ok() && tcgetpgrp(terminal.number()) == group ? group : 0;
  if (!StartWatcher()) return;
  StopSelf(signal_number);
  EndWatcher();
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGCONT);
  const timespec at_once = {};
  siginfo_t signal = {};
  if (sigtimedwait(&one, &signal, &at_once) == SIGCONT) OnOwnContinue(signal);
}

void ProgramStops::StopSelf(int signal_number) {
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  struct sigaction before = {};
  sigset_t one, mask;
  sigemptyset(&one);
  sigaddset(&one, signal_number);
  sigaction(signal_number, &usual, &before);
  kill(getpid(), signal_number);
  sigprocmask(SIG_UNBLOCK, &one, &mask);  // stopped here, unless by SIGSTOP before
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  sigaction(signal_number, &before, nullptr);
}

bool ProgramStops::StartWatcher() {
  const pid_t recorder = getpid();
  watcher_ = fork();
  if (watcher_ != 0) return watcher_ > 0;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const timespec pause = {0, kLookNs};
  while (getppid() == recorder && LifeOf(program_) == Life::kStopped) nanosleep(&pause, nullptr);
  if (getppid() == recorder) kill(recorder, SIGCONT);
  _exit(0);
}

void ProgramStops::EndWatcher() {
  kill(watcher_, SIGKILL);
  while (waitpid(watcher_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// Its last stop was waited for: there is another one if it was continued, as one of a group with us, and stopped again
// before we came to run.
bool ProgramStops::HasStoppedAnew() const {
  siginfo_t stop = {};
  return waitid(P_PID, static_cast<id_t>(program_), &stop, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
         stop.si_pid == program_;
}

void ProgramStops::OnOwnContinue(const siginfo_t& signal) {
  const bool is_watchers = signal.si_code == SI_USER && signal.si_pid == watcher_;
  if (is_watchers || !is_stopped_ || HasStoppedAnew()) return;
  is_stopped_ = false;
  const Fd terminal = front_group_ != 0 ? OpenTerminal() : Fd();
  if (terminal.ok() && tcgetpgrp(terminal.number()) == getpgrp()) {
    sigset_t one, mask;
    sigemptyset(&one);
    sigaddset(&one, SIGTTOU);
    sigprocmask(SIG_BLOCK, &one, &mask);
    tcsetpgrp(terminal.number(), front_group_);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
  }
  const pid_t group = getpgid(program_);
  kill(group > 0 && group != getpgrp() ? -group : program_, SIGCONT);
}

}  // namespace geckoprof
