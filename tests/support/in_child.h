#ifndef GECKOPROF_TESTS_SUPPORT_IN_CHILD_H_
#define GECKOPROF_TESTS_SUPPORT_IN_CHILD_H_

#include <sys/wait.h>
#include <unistd.h>

namespace geckoprof {

// Runs `body` in a forked child, whose limits and filters are its own; true if it returned true.
template <typename Body>
bool InChild(const Body& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_SUPPORT_IN_CHILD_H_
