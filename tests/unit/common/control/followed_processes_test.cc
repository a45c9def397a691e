#include "geckoprof/control/followed_processes.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "geckoprof/control/process_state.h"
#include "tests/support/await.h"

namespace geckoprof {
namespace {

// A child, and a child of that one. Both are killed at the end.
class Family {
 public:
  Family() {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    child_ = fork();
    if (child_ == 0) {
      const pid_t grandchild = fork();
      if (grandchild != 0 && write(ends[1], &grandchild, sizeof(grandchild)) < 0) _exit(1);
      for (;;) pause();
    }
    REQUIRE(read(ends[0], &grandchild_, sizeof(grandchild_)) == ssize_t{sizeof(grandchild_)});
    close(ends[0]);
    close(ends[1]);
  }
  ~Family() {
    kill(grandchild_, SIGKILL);
    KillChild();
    waitpid(child_, nullptr, 0);
  }
  void KillChild() const { kill(child_, SIGKILL); }

  pid_t child_ = 0, grandchild_ = 0;
};

bool Has(const FollowedProcesses& processes, pid_t pid) {
  const std::vector<pid_t> pids = processes.pids();
  return std::ranges::find(pids, pid) != pids.end();
}

TEST_CASE("descendants are found at the first look, and forgotten when they have ended") {
  const Family family;
  FollowedProcesses processes(getpid(), geteuid(), {});
  CHECK(processes.pids().empty());
  processes.Look(0);
  CHECK(Has(processes, family.child_));
  CHECK(Has(processes, family.grandchild_));
  CHECK_FALSE(Has(processes, getpid()));
  family.KillChild();
  CHECK(Soon([&] {
    processes.Look(0);
    return !Has(processes, family.child_);
  }));
}

TEST_CASE("processes without base are told nothing") {
  const Family family;
  FollowedProcesses processes(getpid(), geteuid(), {});
  processes.BringTo({ControlCommand::kPause}, 0);
  processes.Look(0);
  CHECK(processes.Find().empty());
  CHECK(processes.Command(ControlCommand::kStop, 0) == 0);
  CHECK(ProcessLives(family.child_));
}

}  // namespace
}  // namespace geckoprof
