#include "geckoprof/base/futex.h"

#include <errno.h>

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "geckoprof/base/clock.h"

namespace geckoprof {
namespace {

TEST_CASE("the lock excludes") {
  FutexLock lock;
  int value = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 20'000; ++n) {
        FutexLockHolder holder(lock);
        ++value;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(value == 80'000);
}

TEST_CASE("a forked child can forget the holder") {
  FutexLock lock;
  lock.Lock();
  lock.ResetInForkedChild();
  lock.Lock();  // would wait for ever
  lock.Unlock();
}

TEST_CASE("waits end by value, by time and by a wake-up") {
  std::atomic<uint32_t> word{1};
  CHECK(FutexWait(word, 0, -1) == -EAGAIN);
  CHECK(FutexWait(word, 1, 1'000'000) == -ETIMEDOUT);
  CHECK(FutexWaitUntil(word, 1, MonotonicNs() + 1'000'000) == -ETIMEDOUT);
  std::thread waker([&] {
    word.store(2);
    FutexWake(word, 1);
  });
  while (word.load() == 1) FutexWait(word, 1, -1);
  waker.join();
  CHECK(word.load() == 2);
}

}  // namespace
}  // namespace geckoprof
