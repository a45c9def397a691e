#include "tools/record/program_process.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace geckoprof {
namespace {

ProgramProcess::End EndOfShell(
    std::string script, const std::function<void()>& look = [] {}) {
  std::vector<std::string> words = {"sh", "-c", std::move(script)};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  LaunchEnvironment environment(environ);
  ProgramProcess process;
  const ProgramProcess::Failure failure = process.Start("/bin/sh", arguments.data(), environment);
  REQUIRE(failure.step == ProgramProcess::Step::kStarted);
  const auto look_often = [&look] {
    look();
    return int64_t{1'000'000};
  };
  return process.Wait(look_often);
}

int RunShell(
    std::string script, const std::function<void()>& look = [] {}) {
  return EndOfShell(std::move(script), look).ShellStatus();
}

// Runs a shell that traps the signal, and sends it to the recorder once it does; nobody of the program's does so.
int RunShellThatIsSent(const std::string& name, int signal_number) {
  const TemporaryFolder folder;
  const std::string ready = folder.path() + "/ready";
  bool is_sent = false;
  return RunShell("trap 'exit 9' " + name + "; : >" + ready + "; while :; do sleep 0.01; done", [&] {
    if (is_sent || access(ready.c_str(), F_OK) != 0) return;
    is_sent = true;
    kill(getpid(), signal_number);
  });
}

TEST_CASE("exit statuses are a shell's") {
  CHECK(RunShell("exit 0") == 0);
  CHECK(RunShell("exit 42") == 42);
  CHECK(RunShell("kill -KILL $$") == 137);
  CHECK(RunShell("kill -TERM $$") == 143);
}

TEST_CASE("the CPU time is the program's and that of the children it waited for") {
  constexpr const char* kWork = "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done";
  const int64_t own_ns = EndOfShell(kWork).cpu_ns;
  const int64_t of_child_ns = EndOfShell(std::string("( ") + kWork + " ); exit 3").cpu_ns;
  const int64_t without_ns = EndOfShell("exit 3").cpu_ns;
  CHECK(without_ns >= 0);
  CHECK(own_ns > without_ns);
  CHECK(of_child_ns > without_ns);
}

TEST_CASE("the program is told its own pid and a time") {
  CHECK(RunShell("case $GECKOPROF_EXEC_TIME in $$:[1-9]*) exit 5;; esac") == 5);
}

TEST_CASE("a failed exec is told apart from a failed program") {
  char name[] = "none";
  char* const arguments[] = {name, nullptr};
  LaunchEnvironment environment(environ);
  ProgramProcess process;
  const ProgramProcess::Failure failure = process.Start("/no/such/program", arguments, environment);
  CHECK(failure.step == ProgramProcess::Step::kExec);
  CHECK(failure.error == ENOENT);
}

TEST_CASE("the terminal's signals do not reach the recorder while the program lives; TERM is passed on") {
  const std::string parent = std::to_string(getpid());
  CHECK(RunShell("kill -INT " + parent + "; kill -QUIT " + parent + "; exit 6") == 6);
  CHECK(RunShellThatIsSent("TERM", SIGTERM) == 9);
}

TEST_CASE("signals that would end the recorder are the program's") {
  const std::vector<std::pair<std::string, int>> signals = {{"HUP", SIGHUP},   {"USR1", SIGUSR1}, {"USR2", SIGUSR2},
                                                            {"ALRM", SIGALRM}, {"IO", SIGIO},     {"VTALRM", SIGVTALRM},
                                                            {"PROF", SIGPROF}, {"PWR", SIGPWR}};
  for (const auto& [name, number] : signals) {
    INFO(name);
    CHECK(RunShellThatIsSent(name, number) == 9);
  }
  const std::string parent = std::to_string(getpid());
  CHECK(RunShell("kill -WINCH " + parent + "; kill -CONT " + parent + "; exit 6") == 6);
}

// Whether this process gets SIGUSR1 from a program of that script whose recorder is its child; and the status.
std::pair<bool, int> RunBelow(const std::string& script) {
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  sigprocmask(SIG_BLOCK, &one, &before);
  const pid_t recorder = fork();
  if (recorder == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    _exit(RunShell(script));
  }
  int status = 0;
  waitpid(recorder, &status, 0);
  const timespec at_once = {};
  const bool has_come = sigtimedwait(&one, nullptr, &at_once) == SIGUSR1;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return {has_come, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

TEST_CASE("what the program sends to its parent goes to the recorder's, as without it") {
  CHECK(RunBelow("kill -USR1 $PPID; sleep 0.1; exit 7") == std::pair(true, 7));
  CHECK(RunBelow("parent=$PPID; (sh -c \"kill -USR1 $parent; sleep 0.1\"); exit 7") == std::pair(true, 7));
  CHECK(RunBelow("exit 7") == std::pair(false, 7));
}

TEST_CASE("the program starts with the dispositions that the recorder was started with") {
  signal(SIGQUIT, SIG_IGN);
  CHECK(RunShell("kill -QUIT $$; exit 3") == 3);
  signal(SIGQUIT, SIG_DFL);
  CHECK(RunShell("ulimit -c 0; kill -QUIT $$; exit 3") == 128 + SIGQUIT);
}

TEST_CASE("an inherited ignored SIGCHLD does not lose the exit status") {
  signal(SIGCHLD, SIG_IGN);
  CHECK(RunShell("exit 8") == 8);
  signal(SIGCHLD, SIG_DFL);
}

}  // namespace
}  // namespace geckoprof
