#include "tools/support/standard_output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <string>

namespace geckoprof {
namespace {

TEST_CASE("nothing is written to what is no terminal") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  {
    ProgressLine line(ends[1]);
    line.Show("working", 0.5);
    line.Clear();
  }
  close(ends[1]);
  char byte;
  CHECK(read(ends[0], &byte, 1) == 0);
  close(ends[0]);
}

// The wait status of a child that prints a megabyte to `fd`: exit status 0, or 1 and errno.
int Print(int fd, bool ignore_sigpipe) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGPIPE, ignore_sigpipe ? SIG_IGN : SIG_DFL);
    dup2(fd, STDOUT_FILENO);
    for (int i = 0; i < 16; ++i) PrintStandardOutput(std::string(64 << 10, 'x'));
    _exit(FinishStandardOutput() ? 0 : errno);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

TEST_CASE("a reader that has left is no error to tell of") {
  for (const bool ignored : {true, false}) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    close(ends[0]);
    const int status = Print(ends[1], ignored);
    close(ends[1]);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGPIPE);
  }
}

TEST_CASE("a device that takes nothing is, and one that takes all is none") {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  CHECK(WEXITSTATUS(Print(full, false)) == ENOSPC);
  close(full);
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  CHECK(Print(null, false) == 0);
  close(null);
}

TEST_CASE("what a command prints at once gives its status") {
  const auto status_with = [](int fd) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      fd < 0 ? close(STDOUT_FILENO) : dup2(fd, STDOUT_FILENO);
      close(STDERR_FILENO);
      _exit(PrintAndFinish("geckoprof x", "text\n"));
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return WEXITSTATUS(status);
  };
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC), null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  CHECK(status_with(full) == 1);
  CHECK(status_with(-1) == 1);
  CHECK(status_with(null) == 0);
  close(full);
  close(null);
}

}  // namespace
}  // namespace geckoprof
