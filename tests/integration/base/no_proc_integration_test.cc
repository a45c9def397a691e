// A process that cannot see /proc, as in a chroot or a sandbox that mounts none.
#include <sys/mount.h>

#include <catch2/catch.hpp>

#include "program_run.h"
#include "session_folder.h"

namespace geckoprof {
namespace {

// An empty file system over /proc, for this process and those it starts, as long as the object lives.
// Where mounts are not permitted the test is skipped.
class NoProc {
 public:
  NoProc() {
    if (!UsePrivateSharedMemory() || mount("none", "/proc", "tmpfs", MS_RDONLY, nullptr) != 0) {
      SkipAll("mounts are not permitted here");
    }
  }
  ~NoProc() { umount2("/proc", MNT_DETACH); }
  NoProc(const NoProc&) = delete;
  NoProc& operator=(const NoProc&) = delete;
};

TEST_CASE("without /proc a program runs as bare, and nothing is left behind", "[no_proc]") {
  const NoProc no_proc;
  for (const Strings& command : {Strings{Scenario("deep_stack"), "0.2"}, Strings{Scenario("thread_churn"), "60"},
                                 Strings{"bash", "-c", "for i in 1 2 3; do bash -c 'echo child'; done; exit 3"}}) {
    INFO(command[0]);
    const ProgramOutput bare = RunProgram(command, {});
    const ProgramOutput sampled = RunProgram(command, Recording());
    CHECK(sampled.status == bare.status);
    CHECK(sampled.out == bare.out);
    CHECK(sampled.err == bare.err);
    CHECK(LeftInSharedMemory() == Strings{});
  }
}

TEST_CASE("without /proc the profile says why it has no samples", "[no_proc]") {
  ProcessProfile profile;
  {
    const SessionFolder session;
    const NoProc no_proc;
    const ProgramOutput output = RunProgram({Scenario("deep_stack"), "0.2"}, Recording({session.variable()}));
    CHECK(output.status == 0);
    profile = session.ReadOnly(output.pid);
  }
  CHECK(CountSamples(profile) == 0);
  CHECK(profile.end_reason == "system call failed");
  REQUIRE(profile.problems.size() == 1);
  CHECK(profile.problems[0] ==
        "Sampling ended early, since no threads could be listed in /proc: openat failed with ENOENT");
}

}  // namespace
}  // namespace geckoprof
