// What code says in the child of a fork.
#ifndef GECKOPROF_TESTS_GECKOPROFILER_FORKED_EXIT_H_
#define GECKOPROF_TESTS_GECKOPROFILER_FORKED_EXIT_H_

#include <sys/wait.h>
#include <unistd.h>

namespace geckoprof {

// The wait status of a child that calls function and exits with what it returns; it is killed after 20 s.
template <typename Function>
int WaitStatusOfChild(const Function& function) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(function());
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_GECKOPROFILER_FORKED_EXIT_H_
