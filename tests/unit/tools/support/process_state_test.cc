#include "tools/support/process_state.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/await.h"

namespace geckoprof {
namespace {

void* Wait(void*) {
  for (;;) pause();
}

// Until it says of itself what is asked for: what a child does takes a while.
template <typename Holds>
bool Becomes(pid_t pid, const Holds& holds) {
  return Soon([&] {
    const auto state = ReadProcessState(pid);
    return state.has_value() && holds(*state);
  });
}

TEST_CASE("the user of a process is the effective one") {
  CHECK(ReadProcessUser(getpid()) == geteuid());
  CHECK_FALSE(ReadProcessUser(0x7fffffff).has_value());
  if (geteuid() != 0) return;
  const pid_t child = fork();
  if (child == 0) {
    if (seteuid(12345) == 0) pause();
    _exit(1);
  }
  CHECK(Soon([child] { return ReadProcessUser(child) == 12345; }));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_CASE("this process lives, with its threads; what is no process does not") {
  const auto state = ReadProcessState(getpid());
  REQUIRE(state.has_value());
  CHECK(state->letter == 'R');
  CHECK(state->thread_count >= 1);
  timespec since_boot = {};
  clock_gettime(CLOCK_BOOTTIME, &since_boot);
  const int64_t start_s = state->StartNs() / 1'000'000'000;
  CHECK((start_s > 0 && start_s <= since_boot.tv_sec));
  CHECK(since_boot.tv_sec - start_s < 600);
  CHECK(ProcessLives(getpid()));
  CHECK(ProcessLives(1));
  CHECK_FALSE((ProcessLives(0) || ProcessLives(-1) || ProcessLives(1 << 30)));
  CHECK_FALSE(ReadProcessState(1 << 30).has_value());
}

TEST_CASE("what lives is among the processes, once, and not when it was waited for") {
  const auto is_there = [](pid_t pid) {
    const std::vector<pid_t> all = ProcessIds();
    return std::count(all.begin(), all.end(), pid);
  };
  const pid_t child = fork();
  if (child == 0) Wait(nullptr);
  CHECK((is_there(1) == 1 && is_there(getpid()) == 1 && is_there(child) == 1));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK(is_there(child) == 0);
}

TEST_CASE("a zombie does not live, a process whose first thread has ended does; whatever it is called") {
  const pid_t zombie = fork();
  if (zombie == 0) _exit(0);
  const pid_t headless = fork();
  if (headless == 0) {
    prctl(PR_SET_NAME, "a) Z 1 (b");
    pthread_t thread;
    if (pthread_create(&thread, nullptr, &Wait, nullptr) != 0) _exit(1);
    syscall(SYS_exit, 0);  // of this thread alone, and nobody around it catches anything
  }
  CHECK(Becomes(zombie, [](const ProcessState& state) { return state.letter == 'Z'; }));
  CHECK(Becomes(headless, [](const ProcessState& state) { return state.letter == 'Z' && state.thread_count == 2; }));
  CHECK_FALSE(ProcessLives(zombie));
  CHECK(ProcessLives(headless));
  kill(headless, SIGKILL);
  waitpid(zombie, nullptr, 0);
  waitpid(headless, nullptr, 0);
  CHECK_FALSE((ProcessLives(zombie) || ProcessLives(headless)));
}

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
