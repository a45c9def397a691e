#include "tools/view/end_signals.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("each of the signals ends the wait, and no handler runs") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    signal(number, SIG_DFL);  // as nohup and shells without job control leave some of them ignored
    const EndSignals signals;
    kill(getpid(), number);
    kill(getpid(), number);  // an impatient one
    signals.Wait([](pid_t, int) {});
  }
  SUCCEED("still here");
}

TEST_CASE("children that end are told, and no end") {
  const EndSignals signals;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(7);
  int status = 0;
  signals.Wait([&](pid_t ended, int its_status) {
    if (ended == child) status = its_status;
    kill(getpid(), SIGTERM);
  });
  CHECK(WEXITSTATUS(status) == 7);
}

TEST_CASE("what is ignored stays ignored; the mask comes back") {
  signal(SIGHUP, SIG_IGN);
  {
    const EndSignals signals;
    kill(getpid(), SIGHUP);
    kill(getpid(), SIGTERM);
    signals.Wait([](pid_t, int) {});
  }
  signal(SIGHUP, SIG_DFL);
  sigset_t now;
  REQUIRE(pthread_sigmask(SIG_BLOCK, nullptr, &now) == 0);
  CHECK(sigismember(&now, SIGTERM) == 0);
}

}  // namespace
}  // namespace geckoprof
