#include "tools/support/own_process.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("the process ends by the signal, also where it was ignored and blocked") {
  for (const int number : {SIGINT, SIGQUIT, SIGPIPE}) {
    const pid_t child = fork();
    if (child == 0) {
      signal(number, SIG_IGN);
      sigset_t every;
      sigfillset(&every);
      sigprocmask(SIG_SETMASK, &every, nullptr);
      EndBySignal(number);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == number && !WCOREDUMP(status)));
  }
}

TEST_CASE("a program's own folder holds its file") {
  const auto folder = OwnFolder();
  REQUIRE(folder.ok());
  CHECK(folder->front() == '/');
  struct stat running, found;
  REQUIRE(stat("/proc/self/exe", &running) == 0);
  REQUIRE(stat((*folder + "/" + program_invocation_short_name).c_str(), &found) == 0);
  CHECK(running.st_ino == found.st_ino);
}

}  // namespace
}  // namespace geckoprof
