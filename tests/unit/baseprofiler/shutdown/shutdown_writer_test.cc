#include "shutdown/shutdown_writer.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "shutdown_case.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

TEST_CASE("where there is no command, or it gives up, a copy of the segment says why") {
  Recorded recorded;
  const auto check = [&](ShutdownFailure failure, int detail, const std::string& why) {
    INFO(why);
    CHECK(recorded.Write());
    CHECK(recorded.failure() == failure);
    CHECK(recorded.detail() == detail);
    const ProcessProfile profile = Read(recorded.copy_path());
    CHECK(IsOfRecorded(profile));
    REQUIRE_FALSE(profile.problems.empty());
    CHECK(Has(profile.problems.back(), why));
    CHECK_FALSE(std::filesystem::exists(recorded.path()));
  };
  SECTION("none is there") {
    recorded.SetCommandPath(recorded.folder() + "/none");
    check(ShutdownFailure::kNoCommand, ENOENT, "could not be started: execve failed with ENOENT");
  }
  SECTION("not executable") {
    recorded.SetCommand("exit 0", 0600);
    check(ShutdownFailure::kNoCommand, EACCES, "EACCES");
  }
  SECTION("no program") {
    recorded.SetCommand("exit 0");
    std::ofstream(recorded.folder() + "/command") << "neither ELF nor a script";
    check(ShutdownFailure::kNoCommand, ENOEXEC, "ENOEXEC");
  }
  SECTION("an older one") {
    recorded.SetCommand("exit 2");
    check(ShutdownFailure::kExited, 2, "of another version");
  }
  SECTION("another program, which ends well") {
    recorded.SetCommand("exit 0");
    check(ShutdownFailure::kExited, 0, "status 0");
  }
  SECTION("one that cannot read the segment") {
    recorded.SetCommand("exit 3");
    check(ShutdownFailure::kExited, 3, "could not read the segment");
  }
  SECTION("killed while it writes") {
    recorded.SetCommand("echo '{' >$out; kill -9 $$");
    check(ShutdownFailure::kKilled, SIGKILL, "killed by signal 9");
  }
}

TEST_CASE("where no copy can be written either, the segment stays and says why") {
  Recorded recorded;
  recorded.SetCommand("exit 1");
  recorded.SetFile("/no/such/folder/profile.json");
  CHECK_FALSE(recorded.Write());
  CHECK(recorded.failure() == ShutdownFailure::kBadPath);
  CHECK(recorded.detail() == ENOENT);
  CHECK(Has(Read(recorded.segment().path()).problems.back(), "ENOENT"));
}

TEST_CASE("a recording that was stopped has nothing to write") {
  Recorded recorded;
  recorded.SetCommand("echo called >$out");
  recorded.segment().Retire();
  CHECK_FALSE(recorded.Write());
  CHECK(recorded.told().empty());
}

TEST_CASE("no process is allowed: a copy is written by the program's own thread") {
  Recorded recorded;
  recorded.SetCommand("exit 0");
  if (geteuid() == 0) {  // root may have any number
    CHECK(StatusInChild([&] {
            FORKED_REQUIRE(setgid(65534) == 0);
            std::filesystem::permissions(recorded.folder(), std::filesystem::perms::all);
            std::filesystem::permissions(std::filesystem::path(recorded.folder()).parent_path(),
                                         std::filesystem::perms{0755});
            FORKED_REQUIRE(setuid(65534) == 0);
            const rlimit none = {0, 0};
            setrlimit(RLIMIT_NPROC, &none);
            FORKED_REQUIRE(recorded.Write());
            return 0;
          }) == 0);
    CHECK(recorded.failure() == ShutdownFailure::kNoProcess);
    CHECK(recorded.detail() == EAGAIN);
    CHECK(IsOfRecorded(Read(recorded.copy_path())));
  }
}

}  // namespace
}  // namespace geckoprof
