#include "tools/record/group_witness.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

// In a process group of its own, with the signals blocked that are asked for: as the recorder is.
template <typename Function>
int InGroup(const Function& function) {
  return StatusInChild([&] {
    setpgid(0, 0);
    sigset_t mask;
    sigemptyset(&mask);
    for (const int number : {SIGTERM, SIGUSR1, SIGRTMIN}) sigaddset(&mask, number);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    return function(mask);
  });
}

bool Take(const sigset_t& mask, int number) {
  const timespec second = {1, 0};
  return sigtimedwait(&mask, nullptr, &second) == number;
}

TEST_CASE("what the whole group got is told from what the recorder alone got") {
  CHECK(InGroup([](const sigset_t& mask) {
          GroupWitness witness;
          FORKED_REQUIRE(witness.pid() > 0);
          for (int turn = 0; turn < 3; ++turn) {
            kill(0, SIGTERM);
            FORKED_REQUIRE(Take(mask, SIGTERM) && witness.HasSeen(SIGTERM));
            witness.Renew(mask);
            kill(getpid(), SIGTERM);
            FORKED_REQUIRE(Take(mask, SIGTERM) && !witness.HasSeen(SIGTERM));
            witness.Renew(mask);
          }
          return 7;
        }) == 7);
}

TEST_CASE("the witness is renewed only when nothing is left to be asked of it") {
  CHECK(InGroup([](const sigset_t& mask) {
          GroupWitness witness;
          kill(0, SIGRTMIN);
          kill(0, SIGRTMIN);  // queues
          kill(0, SIGUSR1);
          for (const int number : {SIGUSR1, SIGRTMIN, SIGRTMIN}) {
            FORKED_REQUIRE(Take(mask, number) && witness.HasSeen(number));
            const pid_t before = witness.pid();
            witness.Renew(mask);
            sigset_t pending;
            sigpending(&pending);
            FORKED_REQUIRE((witness.pid() == before) == (sigismember(&pending, SIGRTMIN) == 1));
          }
          return 7;
        }) == 7);
}

TEST_CASE("without a witness nothing was sent to a group, and the next is none either") {
  CHECK(InGroup([](const sigset_t& mask) {
          GroupWitness witness;
          kill(witness.pid(), SIGKILL);
          waitpid(witness.pid(), nullptr, 0);
          kill(0, SIGTERM);
          FORKED_REQUIRE(Take(mask, SIGTERM) && !witness.HasSeen(SIGTERM));
          return 7;
        }) == 7);
}

TEST_CASE("the witness ends with its object") {
  CHECK(InGroup([](const sigset_t&) {
          { const GroupWitness witness; }
          FORKED_REQUIRE(waitpid(-1, nullptr, 0) == -1);
          return 7;
        }) == 7);
}

}  // namespace
}  // namespace geckoprof
