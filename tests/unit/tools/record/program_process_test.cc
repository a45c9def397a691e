#include "tools/record/program_process.h"

#include <errno.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

int RunShell(std::string script) {
  std::vector<std::string> words = {"sh", "-c", std::move(script)};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  LaunchEnvironment environment(environ);
  ProgramProcess process;
  const ProgramProcess::Failure failure = process.Start("/bin/sh", arguments.data(), environment);
  REQUIRE(failure.step == ProgramProcess::Step::kStarted);
  return process.Wait([] { return int64_t{1'000'000}; }).ShellStatus();
}

TEST_CASE("exit statuses are a shell's") {
  CHECK(RunShell("exit 0") == 0);
  CHECK(RunShell("exit 42") == 42);
  CHECK(RunShell("kill -KILL $$") == 137);
  CHECK(RunShell("kill -TERM $$") == 143);
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
  CHECK(RunShell("trap 'exit 9' TERM; kill -TERM " + parent + "; while :; do sleep 0.01; done") == 9);
}

TEST_CASE("signals that would end the recorder are the program's") {
  const std::string parent = std::to_string(getpid());
  for (const std::string name : {"HUP", "USR1", "USR2", "ALRM", "IO", "VTALRM", "PROF", "PWR"}) {
    INFO(name);
    CHECK(RunShell("trap 'exit 9' " + name + "; kill -" + name + " " + parent + "; while :; do sleep 0.01; done") == 9);
  }
  CHECK(RunShell("kill -WINCH " + parent + "; kill -CONT " + parent + "; exit 6") == 6);
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
