#include "tools/record/late_processes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/tools/record/started_sleep.h"
#include "tools/record/session_contents.h"
#include "tools/support/process_state.h"

namespace geckoprof {
namespace {

bool IsAmong(const std::vector<LateProcess>& processes, pid_t pid, std::string_view name) {
  return std::any_of(processes.begin(), processes.end(),
                     [&](const LateProcess& process) { return process.pid == pid && process.name == name; });
}

TEST_CASE("processes of a session are known by their environment") {
  const pid_t ours = StartSleep("GECKOPROF_SESSION_DIR=/tmp/session");
  const pid_t longer = StartSleep("GECKOPROF_SESSION_DIR=/tmp/session2");
  const pid_t other = StartSleep("MY_GECKOPROF_SESSION_DIR=/tmp/session");
  const std::vector<LateProcess> found = ProcessesOfSession("/tmp/session");
  CHECK(IsAmong(found, ours, "sleep"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].pid_namespace == PidNamespaces::NumberOf("/proc/self"));
  for (const pid_t pid : {ours, longer, other}) EndSleep(pid);
  CHECK(ProcessesOfSession("/tmp/session").empty());
}

TEST_CASE("who is recorded, or said why not, is not late") {
  SessionContents contents;
  contents.processes.emplace_back().pid = 11;
  contents.told_why = {12};
  contents.processes.emplace_back().pid = 14;
  contents.processes.back().pid_namespace = 700;
  contents.NoteLate(
      {{11, "recorded", 700}, {12, "told", 800}, {13, "late\x1b", 0}, {14, "same", 700}, {14, "one", 800}});
  REQUIRE(contents.reasons.size() == 2);
  CHECK(contents.reasons[1].starts_with("process 14 (one)"));
  CHECK(contents.reasons[0].starts_with("process 13 (late"));
  CHECK(contents.reasons[0].find('\x1b') == std::string::npos);
}

}  // namespace
}  // namespace geckoprof
