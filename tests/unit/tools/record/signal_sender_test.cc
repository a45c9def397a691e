#include "tools/record/signal_sender.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/forked_check.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/tools/record/started_sleep.h"

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

TEST_CASE("the program and its descendants belong to it; the recorder and strangers do not") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t program = fork();
  if (program == 0) {
    const pid_t child = fork();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (child == 0) {
      const pid_t grandchild = fork();
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (grandchild != 0) (void)!write(ends[1], &grandchild, sizeof(grandchild));
    }
    pause();
    _exit(0);
  }
  pid_t grandchild = 0;
  REQUIRE(read(ends[0], &grandchild, sizeof(grandchild)) == sizeof(grandchild));
  const ProgramFamily family("");
  CHECK(family.Has(program, program));
  CHECK(family.Has(grandchild, program));
  CHECK_FALSE(family.Has(getpid(), program));
  CHECK_FALSE(family.Has(getppid(), program));
  CHECK_FALSE(family.Has(0, program));
  CHECK_FALSE(family.Has(-1, program));
  kill(grandchild, SIGKILL);  // it may not have come to its prctl yet
  kill(program, SIGKILL);     // its child goes with it
  waitpid(program, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("so do those of its environment, and those that left data and have ended") {
  const TemporaryFolder session;
  const ProgramFamily family(session.path());
  const pid_t orphan = StartSleep(("GECKOPROF_SESSION_DIR=" + session.path()).c_str());
  const pid_t stranger = StartSleep("GECKOPROF_SESSION_DIR=/somewhere/else");
  constexpr pid_t kNobody = 4'000'000;  // above the kernel's largest
  CHECK(family.Has(orphan, kNobody));
  CHECK_FALSE(family.Has(stranger, kNobody));
  EndSleep(stranger);
  CHECK_FALSE(family.Has(stranger, kNobody));
  session.Write(std::to_string(stranger) + "-0.segment", "");
  CHECK(family.Has(stranger, kNobody));
  EndSleep(orphan);
  CHECK_FALSE(family.Has(orphan, kNobody));
  session.Write("child-" + std::to_string(orphan) + "-5000000-6000000-0-1-2-4096", "");
  CHECK(family.Has(orphan, kNobody));
}

}  // namespace
}  // namespace geckoprof
