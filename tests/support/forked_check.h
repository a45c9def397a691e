// Checks in a forked child what would change this process for good (limits, mounts, signals), or is about children.
#ifndef GECKOPROF_TESTS_SUPPORT_FORKED_CHECK_H_
#define GECKOPROF_TESTS_SUPPORT_FORKED_CHECK_H_

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace geckoprof {

inline constexpr int kForkedSkip = 77;

// The exit status of a child that runs `check` and exits with what it returns; 128 + the signal that ended it.
inline int StatusInChild(const std::function<int()>& check) {
  fflush(nullptr);
  const pid_t pid = fork();
  if (pid == 0) _exit(check());
  int status = -1;
  if (pid < 0 || waitpid(pid, &status, 0) != pid) return -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Whether `check` returned true there.
inline bool HoldsInChild(const std::function<bool()>& check) {
  return StatusInChild([&] { return check() ? 0 : 1; }) == 0;
}

}  // namespace geckoprof

// For use inside the child: ends the check with a line that says what was not so.
#define FORKED_REQUIRE(condition)                                             \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      return 1;                                                               \
    }                                                                         \
  } while (false)

#endif  // GECKOPROF_TESTS_SUPPORT_FORKED_CHECK_H_
