#include "tools/record/marked_child.h"

#include <catch2/catch.hpp>
#include <vector>

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
  REQUIRE(child.Parse("child-4711-5000000-7000000", "4700 "));
  CHECK(child.end_ns == 7'000'000);
  CHECK(child.name.empty());
  REQUIRE(child.Parse("child-1-5000000", "0 first"));  // of a pid namespace
  CHECK(child.parent_pid == 0);
}

TEST_CASE("what no library writes is no mark") {
  for (const char* name : {"", "child-", "child-1", "child-1-", "child-0-5", "child--1-5", "child-01-5", "child-1-5-",
                           "child-1-5-4", "child-1-5-6-7", "child-1-5x", "child-1-99999999999999999999",
                           "child-1-9223372036854775807", "Child-1-5", "child-99999999999-5"}) {
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
  const std::vector<ProcessProfile> others = {Program(1, 1'000'000, "/a"), Program(7, 4'000'000, "/b")};
  CHECK_FALSE(child.IsAmong(others));
  const std::vector<ProcessProfile> itself = {Program(7, 5'000'000, "/b")};
  CHECK(child.IsAmong(itself));
}

TEST_CASE("its process has its times and its parent's program, and no samples") {
  MarkedChild child;
  REQUIRE(child.Parse("child-7-5000000-6000000", "2 word"));
  std::vector<ProcessProfile> recorded = {Program(1, 1'000'000, "/bin/first"), Program(2, 2'000'000, "/bin/old"),
                                          Program(2, 3'000'000, "/bin/new"), Program(2, 9'000'000, "/bin/late")};
  recorded[2].pid_namespace = 700;
  const ProcessProfile process = child.ToProcess(recorded);
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
  const ProcessProfile killed = child.ToProcess(recorded);
  CHECK(killed.executable.empty());
  CHECK(killed.command_name == "word");
  CHECK(killed.end_reason == "alive");
  CHECK(killed.end_ns == killed.start_ns);
}

}  // namespace
}  // namespace geckoprof
