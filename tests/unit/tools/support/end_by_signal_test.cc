#include "tools/support/end_by_signal.h"

#include <signal.h>
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

}  // namespace
}  // namespace geckoprof
