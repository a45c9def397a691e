#include "tools/record/tree_watch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "geckoprof/base/fd.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/tools/record/started_sleep.h"

namespace geckoprof {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

std::vector<UnrecordedProgram> ProgramsOf(const TreeWatch& watch, pid_t pid) {
  std::vector<UnrecordedProgram> found = watch.Unrecorded();
  std::erase_if(found, [pid](const UnrecordedProgram& program) { return program.pid != pid; });
  return found;
}

TEST_CASE("a child without our code is found, with its command and its end") {
  const TemporaryFolder session;
  TreeWatch watch(session.path(), getpid(), /*with_arguments=*/true);
  const pid_t child = StartSleep("A=1");
  CHECK(watch.Look(1 * kSecond) > 0);
  CHECK(ProgramsOf(watch, child).empty());  // it may still come to our code
  CHECK(watch.Look(3 * kSecond) > 0);
  REQUIRE(ProgramsOf(watch, child).size() == 1);
  UnrecordedProgram program = ProgramsOf(watch, child)[0];
  CHECK((program.parent_pid == getpid() && program.name == "sleep"));
  CHECK(program.arguments == std::vector<std::string>{"sleep", "60"});
  CHECK((program.seen_ns == 1 * kSecond && program.last_ns == 3 * kSecond));
  CHECK(program.reason.starts_with("it was started without LD_PRELOAD"));
  kill(child, SIGTERM);
  waitpid(child, nullptr, 0);
  CHECK(watch.Look(6 * kSecond) > 0);
  CHECK(ProgramsOf(watch, child).size() == 1);
  if (watch.statuses().empty()) WARN("this kernel does not tell the status");
  if (!watch.statuses().empty()) CHECK(watch.statuses().at(child) == SIGTERM);
}

TEST_CASE("a program of another user is known at once, and without its arguments if they are not to be recorded") {
  if (geteuid() != 0) return;
  const TemporaryFolder session;
  TreeWatch watch(session.path(), getpid(), /*with_arguments=*/false);
  const pid_t child = fork();
  if (child == 0) {
    if (setresuid(65534, 65534, 65534) == 0) execl("/bin/sleep", "sleep", "60", nullptr);
    _exit(1);
  }
  std::vector<UnrecordedProgram> found;
  for (int64_t now_ns = kSecond; now_ns < 1000 * kSecond && found.empty(); now_ns += kSecond) {
    watch.Look(now_ns);
    found = ProgramsOf(watch, child);
    std::erase_if(found, [](const UnrecordedProgram& program) {
      return program.name != "sleep" || program.arguments.empty();  // in the middle of exec
    });
  }
  EndSleep(child);
  REQUIRE(found.size() == 1);
  CHECK(found[0].arguments == std::vector<std::string>{"sleep"});
  CHECK(found[0].reason.starts_with("it runs as user 65534"));
}

TEST_CASE("a process with a segment of the session is none") {
  const TemporaryFolder session;
  const std::string path = session.Write(std::to_string(getpid()) + "-0.segment", std::string(4096, 'x'));
  const Fd file = Fd::Open(path.c_str(), O_RDONLY);
  void* const mapped = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file.number(), 0);
  REQUIRE(mapped != MAP_FAILED);
  TreeWatch watch(session.path(), getpid(), true), other("/tmp/geckoprof-other", getpid(), true);
  for (int64_t now_ns = kSecond; now_ns < 5 * kSecond; now_ns += kSecond) {
    watch.Look(now_ns);
    other.Look(now_ns);
  }
  CHECK(ProgramsOf(watch, getpid()).empty());
  CHECK(ProgramsOf(other, getpid()).size() == 1);
  munmap(mapped, 4096);
}

TEST_CASE("the segment of the parent is not the child's") {
  const TemporaryFolder session;
  const std::string path = session.Write(std::to_string(getpid()) + "-0.segment", std::string(4096, 'x'));
  const Fd file = Fd::Open(path.c_str(), O_RDONLY);
  void* const mapped = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file.number(), 0);
  REQUIRE(mapped != MAP_FAILED);
  const pid_t child = fork();
  if (child == 0) {
    raise(SIGSTOP);
    munmap(mapped, 4096);
    raise(SIGSTOP);
    _exit(0);
  }
  const auto await_stop = [child] { REQUIRE((waitpid(child, nullptr, WUNTRACED) == child)); };
  await_stop();
  TreeWatch watch(session.path(), getpid(), true);
  watch.Look(1 * kSecond);
  watch.Look(3 * kSecond);
  CHECK(ProgramsOf(watch, child).empty());  // our code has not run in it yet
  kill(child, SIGCONT);
  await_stop();
  watch.Look(5 * kSecond);
  watch.Look(7 * kSecond);
  CHECK(ProgramsOf(watch, child).size() == 1);
  EndSleep(child);
  munmap(mapped, 4096);
}

}  // namespace
}  // namespace geckoprof
