#include "thread_end_hooks.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "catch2/catch.hpp"

namespace geckoprof {
namespace {

std::atomic<int> ends{0}, forks{0};

void CountEnd() { ++ends; }
void CountFork() { ++forks; }
void NotCalled() { FAIL("the first ones count"); }

TEST_CASE("thread end: told of threads that ask for it, and of forks in the child") {
  InstallThreadEndHooks(CountEnd, CountFork);
  InstallThreadEndHooks(NotCalled, NotCalled);
  std::thread([] {}).join();
  CHECK(ends == 0);
  std::thread([] { WatchThreadEnd(true); }).join();
  CHECK(ends == 1);
  std::thread([] {
    WatchThreadEnd(true);
    WatchThreadEnd(false);
  }).join();
  CHECK(ends == 1);

  const pid_t child = fork();
  if (child == 0) _exit(forks.load());
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 1);
  CHECK(forks == 0);
}

}  // namespace
}  // namespace geckoprof
