#include "tools/record/process_ends.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/temporary_folder.h"
#include "tests/unit/tools/record/started_sleep.h"

namespace geckoprof {
namespace {

TEST_CASE("the end of a process that was seen is known when its parent has waited for it") {
  const TemporaryFolder session;
  const pid_t killed = StartSleep(("GECKOPROF_SESSION_DIR=" + session.path()).c_str());
  const pid_t stranger = StartSleep("GECKOPROF_SESSION_DIR=/tmp/another");
  session.Write(std::to_string(killed) + "-0.segment", "");
  session.Write(std::to_string(stranger) + "-0.segment", "");
  session.Write("child-7-5000", "");
  ProcessEnds ends(session.path());
  CHECK(ends.Look() > 0);
  CHECK(ends.statuses().empty());
  kill(killed, SIGTERM);
  int status = 0;
  waitpid(killed, &status, 0);
  EndSleep(stranger);
  ends.Look();
  if (ends.statuses().empty()) {
    WARN("this kernel does not tell the status");
    return;
  }
  REQUIRE(ends.statuses().size() == 1);
  CHECK(ends.statuses().begin()->first == killed);
  CHECK(ends.statuses().begin()->second == status);
}

TEST_CASE("a session that is gone has no ends") {
  ProcessEnds ends("/nonexistent");
  CHECK(ends.Look() > 0);
  CHECK(ends.statuses().empty());
}

}  // namespace
}  // namespace geckoprof
