#include "tools/record/tree_load_watch.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "geckoprof/base/clock.h"

namespace geckoprof {
namespace {

TEST_CASE("the load is the CPU time between two looks, and the memory at the second") {
  const TreeUse before{1000, {{1, {5, 100, 0, 10}}, {2, {6, 50, 0, 20}}}};
  const TreeUse after{2000, {{1, {5, 600, 0, 11}}, {2, {6, 1050, 0, 22}}}};
  const TreeLoad load = LoadBetween(before, after);
  CHECK(load.processes.at(1).cpu_percent == 50);
  CHECK(load.processes.at(2).cpu_percent == 100);
  CHECK(load.all.cpu_percent == 150);
  CHECK(load.all.resident_bytes == 33);
}

TEST_CASE("children that ended between the looks count, once their parent has waited for them") {
  // 3 ended, and one that no look has seen.
  const TreeUse before{1000, {{1, {5, 100, 0, 0}}, {3, {7, 200, 0, 0}}}};
  const TreeUse after{2000, {{1, {5, 100, 900, 0}}}};
  CHECK(LoadBetween(before, after).all.cpu_percent == 70);
  CHECK(LoadBetween(before, after).processes.at(1).cpu_percent == 0);
}

TEST_CASE("a process with the number of an earlier one has its own time") {
  const TreeUse before{1000, {{1, {5, 0, 0, 0}}, {2, {6, 5000, 0, 0}}}};
  const TreeUse after{2000, {{1, {5, 0, 0, 0}}, {2, {9, 300, 0, 0}}}};
  const TreeLoad load = LoadBetween(before, after);
  CHECK(load.processes.at(2).cpu_percent == 30);
  CHECK(load.all.cpu_percent == 0);  // of 2's time before nobody tells
}

TEST_CASE("a process and its descendants are looked at, and nobody else") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      while (true) {
      }
    }
    if (write(ends[1], &grandchild, sizeof(grandchild)) < 0) _exit(1);
    for (;;) pause();
  }
  pid_t grandchild = 0;
  REQUIRE(read(ends[0], &grandchild, sizeof(grandchild)) == sizeof(grandchild));
  TreeLoadWatch watch(child);
  CHECK_FALSE(watch.Look(MonotonicNs()).has_value());
  const std::optional<TreeLoad> load = watch.Look(MonotonicNs() + kNsPerSecond);
  REQUIRE(load.has_value());
  CHECK(load->processes.size() == 2);
  CHECK(load->processes.contains(child));
  CHECK(load->processes.contains(grandchild));
  CHECK(load->processes.at(child).resident_bytes > 0);
  for (const pid_t pid : {grandchild, child}) kill(pid, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace geckoprof
