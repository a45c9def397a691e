#include "geckoprofiler/thread_policy_lock.h"

#include <thread>
#include <vector>

#include "base_double.h"
#include "catch2/catch.hpp"
#include "geckoprofiler/thread_lock_order.h"
#include "geckoprofiler/thread_registration.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

TEST_CASE("policy lock: one holder at a time, who knows it") {
  CHECK_FALSE(ThreadLockOrder::Holds(ThreadLockRank::kPolicy));
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&count] {
      for (int n = 0; n < 1000; ++n) {
        const ThreadPolicyLock lock;
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(count == 4000);
  const ThreadPolicyLock lock;
  CHECK(ThreadLockOrder::Holds(ThreadLockRank::kPolicy));
}

TEST_CASE("policy lock: free in a forked child, though another thread held it") {
  OnNewThread([] { const ThreadRegistration registration("installs the hooks"); });
  std::atomic<int> step{0};
  std::thread holder([&step] {
    const ThreadPolicyLock lock;
    step = 1;
    while (step != 2) std::this_thread::yield();
  });
  while (step != 1) std::this_thread::yield();
  const int status = StatusInChild([] {
    const ThreadRegistration registration("needs the lock");
    return 0;
  });
  step = 2;
  holder.join();
  CHECK(status == 0);
}

}  // namespace
}  // namespace geckoprof
