#include "tools/support/pid_namespaces.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/support/await.h"

namespace geckoprof {
namespace {

std::string FolderOf(pid_t pid) { return "/proc/" + std::to_string(pid); }

TEST_CASE("this process's namespace is ours, and so is one that is not known") {
  PidNamespaces spaces;
  const uint32_t own = PidNamespaces::NumberOf("/proc/self");
  REQUIRE(own != 0);
  CHECK((spaces.IsOurs(own) && spaces.IsOurs(0)));
  CHECK_FALSE(spaces.IsOurs(own + 1));
  CHECK((spaces.Lives(own, getpid()) && spaces.Lives(0, getpid())));
  CHECK_FALSE((spaces.Lives(own, 1 << 30) || spaces.Lives(1, getpid())));
  CHECK(PidNamespaces::InnermostPid("/proc/self") == getpid());
  CHECK(PidNamespaces::NumberOf("/proc/0") == 0);
  CHECK(PidNamespaces::InnermostPid("/proc/0") == 0);
}

TEST_CASE("a process of another namespace lives under the number that it has there") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t parent = fork();
  if (parent == 0) {
    pid_t child = unshare(geteuid() == 0 ? CLONE_NEWPID : CLONE_NEWUSER | CLONE_NEWPID) == 0 ? fork() : -1;
    if (child == 0) {
      for (;;) pause();
    }
    _exit(write(ends[1], &child, sizeof(child)) == sizeof(child) ? 0 : 1);
  }
  pid_t child = -1;
  CHECK(read(ends[0], &child, sizeof(child)) == sizeof(child));
  waitpid(parent, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  if (child < 0) return;  // no namespace to be had
  const uint32_t inner = PidNamespaces::NumberOf(FolderOf(child));
  CHECK(PidNamespaces::InnermostPid(FolderOf(child)) == 1);
  PidNamespaces spaces;
  REQUIRE_FALSE(spaces.IsOurs(inner));
  CHECK(spaces.Lives(inner, 1));
  CHECK_FALSE((spaces.Lives(inner, child) || spaces.Lives(inner, 2)));
  kill(child, SIGKILL);
  CHECK(Soon([&] { return !PidNamespaces().Lives(inner, 1); }));
}

}  // namespace
}  // namespace geckoprof
