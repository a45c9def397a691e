#include "tools/record/unrecorded_processes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "tests/unit/tools/record/started_sleep.h"
#include "tools/record/session_contents.h"
#include "tools/support/process_state.h"

namespace geckoprof {
namespace {

ProcessProfile Program(int32_t pid, int64_t start_ns, const char* executable) {
  ProcessProfile process;
  process.pid = pid;
  process.start_ns = start_ns;
  process.start_epoch_ms = 1000.0 + static_cast<double>(start_ns) / 1e6;
  process.interval_ns = 1'000'000;
  process.executable = executable;
  return process;
}

TEST_CASE("a mark says who, since when, of whom, and perhaps until when") {
  MarkedChild child;
  REQUIRE(child.Parse("child-4711-5000000", "4700 a name"));
  CHECK(child.pid == 4711);
  CHECK(child.parent_pid == 4700);
  CHECK(child.begin_ns == 5'000'000);
  CHECK(child.end_ns == 0);
  CHECK(child.name == "a name");
  CHECK(child.exit.status == -1);
  REQUIRE(child.Parse("child-4711-5000000-7000000-3-450000-20000-4096", "4700 "));
  CHECK(child.end_ns == 7'000'000);
  CHECK(child.name.empty());
  CHECK((child.exit.status == 3 && child.exit.user_cpu_ns == 450'000 && child.exit.system_cpu_ns == 20'000));
  CHECK(child.exit.peak_memory_bytes == 4096);
  REQUIRE(child.Parse("child-1-5000000", "0 first"));  // of a pid namespace
  CHECK(child.parent_pid == 0);
}

TEST_CASE("what no library writes is no mark") {
  for (const char* name : {"",
                           "child-",
                           "child-1",
                           "child-1-",
                           "child-0-5",
                           "child--1-5",
                           "child-01-5",
                           "child-1-5-",
                           "child-1-5-6",
                           "child-1-5-6-0",
                           "child-1-5-4-0-0-0-0",
                           "child-1-5-6-0-7-8",
                           "child-1-5-6-0-7-8-9-1",
                           "child-1-5-6-0--7-8-9",
                           "child-1-5-6-256-7-8-9",
                           "child-1-5-6-0-7-8-9x",
                           "child-1-5-6-0-07-8-9",
                           "child-1-5x",
                           "child-1-99999999999999999999",
                           "child-1-9223372036854775807",
                           "Child-1-5",
                           "child-99999999999-5"}) {
    INFO(name);
    CHECK_FALSE(MarkedChild().Parse(name, "1 a"));
  }
  for (const char* target : {"", "a", "1", "00 a", "-1 a", " a", "1 a name that is too long"}) {
    INFO(target);
    CHECK_FALSE(MarkedChild().Parse("child-1-5", target));
  }
}

TEST_CASE("a child that has a segment, or whose next program has, is known") {
  MarkedChild child;
  REQUIRE(child.Parse("child-7-5000000", "1 a"));
  const std::vector<ProgramStart> others = {{1, 1'000'000, 0}, {7, 4'000'000, 1}, {8, 6'000'000, 2}};
  CHECK(child.FindProgram(others) == nullptr);
  const std::vector<ProgramStart> itself = {{1, 1'000'000, 0}, {7, 4'000'000, 1}, {7, 5'000'000, 2}};
  REQUIRE(child.FindProgram(itself) != nullptr);
  CHECK(child.FindProgram(itself)->row == 2);
}

TEST_CASE("a program of another process with the same pid is not this child's") {
  MarkedChild child;
  REQUIRE(child.Parse("child-7-5000000", "1 a"));
  const std::vector<ProgramStart> starts = {{7, 9'000'000, 0}};
  CHECK(child.FindProgram(starts, 8'000'000) == nullptr);  // it is of the child that began at 8 ms
  CHECK(child.FindProgram(starts, 9'500'000) != nullptr);
  REQUIRE(child.Parse("child-7-5000000-6000000-0-1000-2000-4096", "1 a"));
  CHECK(child.FindProgram(starts) == nullptr);  // it had ended by then
}

TEST_CASE("the parent is the program that ran at the fork") {
  MarkedChild child;
  REQUIRE(child.Parse("child-7-5000000", "2 a"));
  const std::vector<ProgramStart> starts = {{1, 1'000'000, 0}, {2, 2'000'000, 1}, {2, 3'000'000, 2}, {2, 9'000'000, 3}};
  REQUIRE(child.FindParent(starts) != nullptr);
  CHECK(child.FindParent(starts)->row == 2);
  REQUIRE(child.Parse("child-7-5000000", "3 a"));
  CHECK(child.FindParent(starts) == nullptr);
}

TEST_CASE("a program of another pid namespace is not the one of that pid") {
  const std::vector<ProgramStart> starts = {{1, 10, 0, 700}, {1, 20, 1, 701}, {2, 5, 2, 0}};
  CHECK(ProgramAt(starts, 1, 30, 700)->row == 0);
  CHECK(ProgramAt(starts, 1, 30, 701)->row == 1);
  CHECK(ProgramAt(starts, 1, 30, 702) == nullptr);
  CHECK(ProgramAt(starts, 1, 30)->row == 1);
  CHECK(ProgramAt(starts, 2, 30, 700)->row == 2);
  CHECK(ProgramAt(starts, 1, 9, 700) == nullptr);
}

TEST_CASE("its process has its times and its parent's program, and no samples") {
  MarkedChild child;
  REQUIRE(child.Parse("child-7-5000000-6000000-0-1000-2000-4096", "2 word"));
  ProcessProfile parent = Program(2, 3'000'000, "/bin/new");
  parent.pid_namespace = 700;
  const ProcessProfile process = child.ToProcess(parent, /*is_parent=*/true);
  CHECK(process.pid == 7);
  CHECK(process.parent_pid == 2);
  CHECK(process.pid_namespace == 700);
  CHECK(process.executable == "/bin/new");
  CHECK(process.start_ns == 5'000'000);
  CHECK(process.end_ns == 6'000'000);
  CHECK(process.start_epoch_ms == Approx(1005.0));
  CHECK(process.end_reason == "exited");
  CHECK(process.interval_ns == 1'000'000);
  REQUIRE(process.losses.size() == 1);
  CHECK(process.losses[0].what == "unsampled-child");

  REQUIRE(child.Parse("child-7-5000000", "3 word"));
  const ProcessProfile killed = child.ToProcess(parent, /*is_parent=*/false);
  CHECK(killed.executable.empty());
  CHECK(killed.command_name == "word");
  CHECK(killed.end_reason == "alive");
  CHECK(killed.end_ns == killed.start_ns);
}

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

UnrecordedProgram SeenProgram() {
  UnrecordedProgram program;
  program.pid = 30;
  program.parent_pid = 20;
  program.pid_namespace = 5;
  program.process_start_ticks = 77;
  program.name = "work";
  program.executable = "/opt/work";
  program.arguments = {"work", "hard"};
  program.after_ns = 1000;
  program.seen_ns = 2000;
  program.last_ns = 9000;
  program.user_cpu_ns = 40;
  program.system_cpu_ns = 2;
  program.reason = "it is statically linked";
  return program;
}

TEST_CASE("a program without our code has its command, times, CPU time and the reason") {
  ProcessProfile similar;
  similar.start_ns = 1000;
  similar.start_epoch_ms = 5000;
  const ProcessProfile process = SeenProgram().ToProcess(similar, 1);
  CHECK((process.pid == 30 && process.parent_pid == 20 && process.pid_namespace == 5 && process.image == 1));
  CHECK((process.start_ns == 2000 && process.end_ns == 9000 && process.start_epoch_ms == 5000.001));
  CHECK(process.arguments == std::vector<std::string>{"work", "hard"});
  CHECK((process.exit.user_cpu_ns == 40 && process.exit.system_cpu_ns == 2));
  REQUIRE(process.problems.size() == 1);
  CHECK(process.problems[0] == "There are no samples: it is statically linked");
  REQUIRE(process.threads.size() == 1);
  int64_t cpu_ns = 0;
  for (const SampleRow& row : process.threads[0].samples) cpu_ns += row.cpu_delta_ns;
  CHECK(cpu_ns == 42);
  CHECK(IsUnrecorded(process));
  CHECK_FALSE(IsUnrecorded(similar));
}

TEST_CASE("a program that was seen before its segment is the recorded one of that name and time") {
  const UnrecordedProgram program = SeenProgram();
  ProcessFacts recorded;
  recorded.pid = 30;
  recorded.command_name = "work";
  recorded.start_ns = 1500;
  CHECK(program.MayBe(recorded));
  recorded.process_start_ticks = 77;
  recorded.pid_namespace = 5;
  CHECK(program.MayBe(recorded));
  const auto differs = [&](auto change) {
    ProcessFacts other = recorded;
    change(other);
    return !program.MayBe(other);
  };
  CHECK(differs([](ProcessFacts& other) { other.pid = 31; }));
  CHECK(differs([](ProcessFacts& other) { other.pid_namespace = 6; }));
  CHECK(differs([](ProcessFacts& other) { other.process_start_ticks = 78; }));
  CHECK(differs([](ProcessFacts& other) { other.command_name = "setpriv"; }));
  CHECK(differs([](ProcessFacts& other) { other.start_ns = 999; }));
  CHECK(differs([](ProcessFacts& other) { other.start_ns = 2'000'000'000; }));
}

}  // namespace
}  // namespace geckoprof
