#include "tools/record/process_ends.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"
#include "tests/support/test_segment.h"
#include "tests/unit/tools/record/started_sleep.h"
#include "tools/support/process_state.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr int64_t kLaterNs = 1'000'000'000;

// The segment of a process, which began at that time.
void WriteSegment(const TemporaryFolder& session, pid_t pid, uint64_t start_ticks, uint32_t pid_namespace = 0) {
  TestSegment test;
  test.segment().header().process_start_ticks = start_ticks;
  test.segment().header().pid_namespace = pid_namespace;
  std::filesystem::copy_file(test.path(), Concat(session.path(), "/", pid, "-0.segment"));
}

uint64_t StartTicks(pid_t pid) { return ReadProcessState(pid).value_or(ProcessState()).start_ticks; }

TEST_CASE("the end of a process that was seen is known when its parent has waited for it") {
  const TemporaryFolder session;
  // A process may have another environment than the one that it was started with.
  const pid_t killed = StartSleep("A=1"), stranger = StartSleep("A=1"), outside = StartSleep("A=1");
  WriteSegment(session, killed, StartTicks(killed));
  WriteSegment(session, stranger, StartTicks(stranger) - 1);
  WriteSegment(session, outside, StartTicks(outside), 1);
  session.Write("child-7-5000", "");
  ProcessEnds ends(session.path());
  CHECK(ends.Look(0) > 0);
  CHECK(ends.ends().empty());
  kill(killed, SIGTERM);
  int status = 0;
  waitpid(killed, &status, 0);
  EndSleep(stranger);
  EndSleep(outside);
  ends.Look(kLaterNs);
  if (ends.ends().empty()) {
    WARN("this kernel does not tell the status");
    return;
  }
  REQUIRE(ends.ends().size() == 1);
  CHECK(ends.ends().begin()->first == NamespacedPid(killed));
  CHECK(ends.ends().begin()->second.status == status);
}

TEST_CASE("with a window, ends before it are forgotten, and no descriptor stays") {
  const TemporaryFolder session;
  ProcessEnds ends(session.path(), 1);
  for (int i = 0; i < 3; ++i) {
    const pid_t child = StartSleep("A=1");
    WriteSegment(session, child, StartTicks(child));
    ends.Look((3 * i + 1) * kLaterNs);
    CHECK(ends.open_count() == 1);
    EndSleep(child);
    std::filesystem::remove(Concat(session.path(), "/", child, "-0.segment"));
    ends.Look((3 * i + 2) * kLaterNs);
    ends.Look((3 * i + 3) * kLaterNs);
    CHECK(ends.ends().empty());
    CHECK(ends.open_count() == 0);
  }
}

TEST_CASE("a process is seen as soon as its segment is complete") {
  const TemporaryFolder session;
  ProcessEnds ends(session.path());
  CHECK(ends.Look(0) > 100'000'000);
  const pid_t process = StartSleep("A=1");
  const std::string name = Concat(process, "-0.segment");
  session.Write(name, std::string(4096, '\0'));
  CHECK(ends.Look(kLaterNs) < 100'000'000);
  std::filesystem::remove(session.path() + "/" + name);
  WriteSegment(session, process, StartTicks(process));
  ends.Look(2 * kLaterNs);
  EndSleep(process);
  ends.CollectEnds();
  if (ends.ends().empty()) WARN("this kernel does not tell the status");
  if (!ends.ends().empty()) CHECK(ends.ends().at(process).status == SIGKILL);
}

TEST_CASE("a session that is gone has no ends") {
  ProcessEnds ends("/nonexistent");
  CHECK(ends.Look(0) > 0);
  CHECK(ends.ends().empty());
}

}  // namespace
}  // namespace geckoprof
