#include "geckoprof/base/recursive_lock.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace geckoprof {
namespace {

int32_t OwnTid() { return static_cast<int32_t>(syscall(SYS_gettid)); }

TEST_CASE("the recursive lock excludes other threads, nested holds included") {
  RecursiveLock lock;
  int value = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 20'000; ++n) {
        RecursiveLockHolder outer(lock);
        ++value;
        RecursiveLockHolder inner(lock);
        ++value;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(value == 160'000);
  CHECK(lock.depth() == 0);
}

TEST_CASE("depth counts the caller's own holds") {
  RecursiveLock lock;
  CHECK(lock.depth() == 0);
  lock.Lock();
  lock.Lock();
  CHECK(lock.depth() == 2);
  std::thread([&] { CHECK(lock.depth() == 0); }).join();
  lock.Unlock();
  CHECK(lock.depth() == 1);
  std::thread([&] { CHECK_FALSE(lock.TryLock()); }).join();
  lock.Unlock();
  CHECK(lock.depth() == 0);
  std::thread([&] {
    CHECK(lock.TryLock());
    CHECK(lock.TryLock());
    lock.Unlock();
    lock.Unlock();
  }).join();
}

// The exit status of a child in which the holds of `parent_thread` were adopted; it tries the lock from another thread.
int DepthInChild(RecursiveLock& lock, int32_t parent_thread) {
  const pid_t child = fork();
  if (child == 0) {
    lock.AdoptInForkedChild(parent_thread);
    const uint32_t depth = lock.depth();
    if (depth == 0) lock.Lock();  // would wait for ever if somebody still held it
    _exit(static_cast<int>(depth));
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("a forked child keeps the holds of the thread that forked, and forgets others") {
  RecursiveLock lock;
  lock.Lock();
  lock.Lock();
  CHECK(DepthInChild(lock, OwnTid()) == 2);
  lock.Unlock();
  lock.Unlock();
  CHECK(DepthInChild(lock, OwnTid()) == 0);
  std::thread([&] { lock.Lock(); }).join();  // ends while it holds
  CHECK(DepthInChild(lock, OwnTid()) == 0);
}

}  // namespace
}  // namespace geckoprof
