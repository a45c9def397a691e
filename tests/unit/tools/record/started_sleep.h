// A process that others may look at: it does nothing, with an environment of the test's.
#ifndef GECKOPROF_TESTS_UNIT_TOOLS_RECORD_STARTED_SLEEP_H_
#define GECKOPROF_TESTS_UNIT_TOOLS_RECORD_STARTED_SLEEP_H_

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

namespace geckoprof {

// A sleep with that variable in its environment, when it has begun. What the loader says of a preload that is not there
// is passed over.
inline pid_t StartSleep(const char* variable) {
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    const char* const arguments[] = {"sleep", "60", nullptr};
    const char* const environment[] = {"FIRST=1", variable, nullptr};
    execve("/bin/sleep", const_cast<char* const*>(arguments), const_cast<char* const*>(environment));
    _exit(1);
  }
  close(ends[1]);
  char byte = 0;
  CHECK(read(ends[0], &byte, 1) == 0);  // closed by exec
  close(ends[0]);
  return pid;
}

inline void EndSleep(pid_t pid) {
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_TOOLS_RECORD_STARTED_SLEEP_H_
