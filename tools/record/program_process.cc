#include "tools/record/program_process.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "tools/record/program_stops.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr int64_t kLookDelayNs = 2 * kNsPerMs;
constexpr int kLowestOwnFd = 3;  // 0 to 2 are the program's, also where they are closed

// Waited for besides those that are passed on: the program's doings, and what job control says to the recorder.
constexpr std::array kOfChild = {SIGCHLD, SIGTSTP, SIGCONT, ProgramProcess::kLookSignal};

void SetAction(int signal_number, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigaction(signal_number, &action, nullptr);
}

// A pipe whose ends close at exec and are none of the standard three. False: errno says why.
bool OpenPipe(Fd& read_end, Fd& write_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const Fd low_read(ends[0]);
  const Fd low_write(ends[1]);
  read_end = Fd(fcntl(ends[0], F_DUPFD_CLOEXEC, kLowestOwnFd));
  write_end = Fd(fcntl(ends[1], F_DUPFD_CLOEXEC, kLowestOwnFd));
  return read_end.ok() && write_end.ok();
}

// User and system time.
int64_t CpuNs(const rusage& used) {
  const auto ns = [](const timeval& time) { return time.tv_sec * kNsPerSecond + time.tv_usec * kNsPerUs; };
  return ns(used.ru_utime) + ns(used.ru_stime);
}

void AddPassedOn(sigset_t& set) {
  for (int number = 1; number <= SIGRTMAX; ++number) {
    if (ProgramProcess::IsPassedOn(number)) sigaddset(&set, number);
  }
}

}  // namespace

bool ProgramProcess::IsPassedOn(int signal_number) {
  constexpr std::array kNamed = {SIGTERM,   SIGHUP,  SIGUSR1, SIGUSR2,   SIGALRM, SIGIO,
                                 SIGVTALRM, SIGPROF, SIGPWR,  SIGSTKFLT, SIGXCPU, SIGXFSZ};
  const bool is_real_time = signal_number >= SIGRTMIN && signal_number <= SIGRTMAX;
  return is_real_time || std::ranges::find(kNamed, signal_number) != kNamed.end();
}

ProgramProcess::ProgramProcess(std::string session) : family_(std::move(session)) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &saved_mask_);
  for (size_t i = 0; i < kChanged.size(); ++i) sigaction(kChanged[i], nullptr, &saved_actions_[i]);
  SetAction(SIGINT, SIG_IGN);
  SetAction(SIGQUIT, SIG_IGN);
  SetAction(SIGPIPE, SIG_IGN);
  SetAction(SIGCHLD, SIG_DFL);  // inherited as ignored, it would make waitpid fail

  sigemptyset(&waited_for_);
  for (const int number : kOfChild) sigaddset(&waited_for_, number);
  AddPassedOn(waited_for_);
}

ProgramProcess::~ProgramProcess() {
  if (handed_over_) return;
  for (size_t i = 0; i < kChanged.size(); ++i) {
    if (kChanged[i] != SIGPIPE) sigaction(kChanged[i], &saved_actions_[i], nullptr);
  }
  sigprocmask(SIG_SETMASK, &saved_mask_, nullptr);
}

ProgramProcess::Failure ProgramProcess::Start(const char* path, char* const* arguments,
                                              LaunchEnvironment& environment) {
  char* const* const envp = environment.Finish();
  Fd read_end;
  Fd write_end;
  Fd wait_end;
  Fd go_end;
  if (!OpenPipe(read_end, write_end) || !OpenPipe(wait_end, go_end)) return {Step::kFork, errno};
  pid_ = fork();
  if (pid_ < 0) return {Step::kFork, errno};
  if (pid_ == 0) {
    go_end.Close();
    char go;
    (void)!read(wait_end.number(), &go, sizeof(go));
    RunChild(path, arguments, environment, envp, write_end.number());
  }
  write_end.Close();
  // Before the program begins: whoever sees it run may send to the group.
  witness_.emplace();
  (void)!write(go_end.number(), "", 1);
  sigset_t mask = saved_mask_;
  for (const int number : kOfChild) sigaddset(&mask, number);
  AddPassedOn(mask);
  sigprocmask(SIG_SETMASK, &mask, nullptr);

  int exec_error = 0;
  ssize_t got = 0;
  do {
    got = read(read_end.number(), &exec_error, sizeof(exec_error));
  } while (got < 0 && errno == EINTR);
  if (got != sizeof(exec_error)) return {};  // the pipe was closed by a successful exec
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  return {Step::kExec, exec_error};
}

void ProgramProcess::RunChild(const char* path, char* const* arguments, LaunchEnvironment& environment,
                              char* const* envp, int error_pipe) {
  for (size_t i = 0; i < kChanged.size(); ++i) sigaction(kChanged[i], &saved_actions_[i], nullptr);
  sigprocmask(SIG_SETMASK, &saved_mask_, nullptr);
  environment.WriteExecTime(getpid(), MonotonicNs());
  execve(path, arguments, envp);
  const int error = errno;
  const ssize_t written = write(error_pipe, &error, sizeof(error));
  _exit(written == sizeof(error) ? 0 : 1);
}

ProgramProcess::End ProgramProcess::Wait(const std::function<int64_t()>& look) {
  End end = WaitFor(look);
  witness_.reset();
  end.name = last_name_;
  sigset_t own;  // from now on they mean the recorder
  sigemptyset(&own);
  for (const int number : {SIGTSTP, SIGCONT}) {
    if (sigismember(&saved_mask_, number) == 0) sigaddset(&own, number);
  }
  sigprocmask(SIG_UNBLOCK, &own, nullptr);
  return end;
}

ProgramProcess::End ProgramProcess::WaitFor(const std::function<int64_t()>& look) {
  ProgramStops stops(pid_);
  int64_t next_look_ns = MonotonicNs();
  for (;;) {
    ReadName();  // it is there until the process is waited for
    int status = 0;
    rusage used = {};
    const pid_t changed = wait4(pid_, &status, WNOHANG | WUNTRACED | WCONTINUED, &used);
    if (changed == pid_ && WIFEXITED(status)) return {.exit_status = WEXITSTATUS(status), .cpu_ns = CpuNs(used)};
    if (changed == pid_ && WIFSIGNALED(status)) {
      return {.signal = WTERMSIG(status), .dumped = WCOREDUMP(status) != 0, .cpu_ns = CpuNs(used)};
    }
    if (changed == pid_ && WIFSTOPPED(status)) stops.OnStopped(WSTOPSIG(status));
    if (changed == pid_ && WIFCONTINUED(status)) stops.OnContinued();
    if (changed == pid_) continue;
    if (changed < 0 && errno != EINTR) return {.exit_status = 1};
    ReapOrphans();
    if (MonotonicNs() >= next_look_ns) next_look_ns = MonotonicNs() + look();
    const int64_t rest_ns = std::max<int64_t>(next_look_ns - MonotonicNs(), 0);
    const timespec timeout = {rest_ns / kNsPerSecond, rest_ns % kNsPerSecond};
    siginfo_t signal = {};
    witness_->Renew(waited_for_);
    const int number = sigtimedwait(&waited_for_, &signal, &timeout);
    if (number == SIGCONT) stops.OnOwnContinue(signal);
    // A moment later, so that it takes no time from a process that has just started.
    if (number == kLookSignal) next_look_ns = std::min(next_look_ns, MonotonicNs() + kLookDelayNs);
    if (number > 0 && number != SIGCHLD && number != SIGCONT && number != kLookSignal) PassOn(signal);
    if (has_kept_) next_look_ns = MonotonicNs();
  }
}

void ProgramProcess::ReadName() {
  std::string name;
  if (ReadWholeFile(Concat("/proc/", pid_, "/comm").c_str(), name) != 0 || name.empty()) return;
  name.pop_back();  // the end of the line
  last_name_ = std::move(name);
}

// The first process of a container is given everybody's children whose parent has ended.
void ProgramProcess::ReapOrphans() const {
  siginfo_t ended = {};
  while (getpid() == 1 && waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0 &&
         ended.si_pid != pid_) {
    waitpid(ended.si_pid, nullptr, WNOHANG);
    ended = {};
  }
}

void ProgramProcess::PassOn(const siginfo_t& signal) {
  // Libraries that are preloaded into the recorder may have timers of its CPU time.
  constexpr std::array kOfOwnCpu = {SIGXCPU, SIGXFSZ, SIGPROF, SIGVTALRM};
  const bool is_own_limit = (signal.si_code > 0 || signal.si_code == SI_TIMER) &&
                            std::ranges::find(kOfOwnCpu, signal.si_signo) != kOfOwnCpu.end();
  const bool is_stop_of_both = signal.si_signo == SIGTSTP && (signal.si_code > 0 || signal.si_pid == pid_);
  if (is_own_limit || is_stop_of_both || (SharesGroup() && witness_->HasSeen(signal.si_signo))) return;
  const bool has_sender = signal.si_code == SI_USER || signal.si_code == SI_QUEUE || signal.si_code == SI_TKILL;
  const pid_t receiver = has_sender && family_.Has(signal.si_pid, pid_) ? getppid() : pid_;
  if (receiver <= 0) return;  // a parent outside this pid namespace
  if (signal.si_signo == kept_signal_ && receiver == pid_) {
    has_kept_ = true;
    return;
  }
  if (signal.si_code == SI_QUEUE && sigqueue(receiver, signal.si_signo, signal.si_value) == 0) return;
  kill(receiver, signal.si_signo);
}

}  // namespace geckoprof
