#include "tools/record/signal_sender.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/segment/segment_format.h"
#include "tools/record/unrecorded_processes.h"
#include "tools/support/process_state.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// Of the process as a whole, bit 0 is signal 1 (ShdPnd in proc(5)).
uint64_t PendingOf(pid_t process) {
  if (process <= 0) return 0;
  const std::string pending = ReadStatusField(Concat("/proc/", process), "ShdPnd").value_or("");
  return std::strtoull(pending.c_str(), nullptr, 16);
}

bool IsAnyPending(const sigset_t& wanted) {
  sigset_t pending;
  if (sigpending(&pending) != 0) return true;
  for (int number = 1; number <= SIGRTMAX; ++number) {
    if (sigismember(&wanted, number) == 1 && sigismember(&pending, number) == 1) return true;
  }
  return false;
}

}  // namespace

pid_t GroupWitness::Start() {
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t recorder = getpid();
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "geckoprof-group");
    syscall(SYS_close_range, 0, ~0U, 0);
    while (getppid() == recorder) pause();
    _exit(0);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return child;
}

void GroupWitness::End(pid_t child) {
  if (child <= 0 || waitpid(child, nullptr, WNOHANG) != 0) return;  // not there any more
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// The recorder may be the first of its group to get a signal. Whoever sends to a group holds the kernel's list of
// processes until all of it have the signal, and setpgid(2) waits for that list also where it changes nothing; where it
// does not, some ms are waited for.
bool GroupWitness::HasSeen(int signal_number) {
  constexpr int kLooks = 4;
  constexpr timespec kPause = {0, kNsPerMs};
  for (int look = 0; child_ > 0 && look < kLooks; ++look) {
    if (look > 0) nanosleep(&kPause, nullptr);
    setpgid(child_, getpgrp());
    if ((PendingOf(child_) >> (signal_number - 1) & 1) == 0) continue;
    is_used_ = true;
    return true;
  }
  return false;
}

// The new one is there before the old one goes: what comes in between one of them has.
void GroupWitness::Renew(const sigset_t& waited_for) {
  if (!is_used_ || IsAnyPending(waited_for)) return;
  const pid_t next = Start();
  const bool is_early = IsAnyPending(waited_for);  // the old one alone may have it
  End(is_early ? next : child_);
  if (is_early) return;
  child_ = next;
  is_used_ = false;
}

namespace {

// Processes never nest so deeply. The tree may change during the climb.
constexpr int kMostGenerations = 1000;

bool DescendsFrom(pid_t process, pid_t ancestor) {
  for (int i = 0; i < kMostGenerations && process > 1; ++i) {
    if (process == ancestor) return true;
    const std::optional<ProcessState> state = ReadProcessState(process);
    if (!state.has_value()) return false;
    process = state->parent;
  }
  return false;
}

}  // namespace

bool ProgramFamily::Has(pid_t process, pid_t program) const {
  if (process <= 0 || process == getpid()) return false;
  if (DescendsFrom(process, program)) return true;
  return !session_.empty() && (IsOfSession(Concat("/proc/", process), session_) || HasLeftData(process));
}

bool ProgramFamily::HasLeftData(pid_t process) const {
  const std::string segment = Concat(process, "-");
  const std::string mark = Concat(kChildPrefix, process, "-");
  std::error_code error;
  std::filesystem::directory_iterator entries(session_, error);
  for (const std::filesystem::directory_iterator end; !error && entries != end; entries.increment(error)) {
    const std::string name = entries->path().filename();
    if (name.starts_with(segment) || name.starts_with(mark)) return true;
  }
  return false;
}

}  // namespace geckoprof
