#include "geckoprofiler/thread_lock_order.h"

#include <unistd.h>

#include <csignal>
#include <thread>

#include "catch2/catch.hpp"
#include "geckoprofiler/profiler_thread_registry.h"
#include "geckoprofiler/thread_policy_lock.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

using enum ThreadLockRank;

TEST_CASE("lock order: downwards only, each rank for itself but the registry") {
  for (const ThreadLockRank held : {kProfiler, kRegistry, kPolicy, kData}) {
    ThreadLockOrder::Take(held);
    for (const ThreadLockRank wanted : {kProfiler, kRegistry, kPolicy, kData}) {
      const bool again = wanted == kRegistry && held == kRegistry;
      CHECK(ThreadLockOrder::MayTake(wanted) == (wanted > held || again));
    }
    CHECK(ThreadLockOrder::Holds(held));
    CHECK(ThreadLockOrder::HoldsAny());
    ThreadLockOrder::Release(held);
    CHECK_FALSE(ThreadLockOrder::HoldsAny());
    CHECK(ThreadLockOrder::MayTake(held));
  }
}

TEST_CASE("lock order: what another thread holds does not count") {
  const ThreadPolicyLock lock;
  bool other_holds = true;
  std::thread([&] { other_holds = ThreadLockOrder::HoldsAny(); }).join();
  CHECK_FALSE(other_holds);
  CHECK(ThreadLockOrder::Holds(kPolicy));
}

TEST_CASE("lock order: a release too many does nothing") {
  ThreadLockOrder::Release(kData);
  CHECK_FALSE(ThreadLockOrder::HoldsAny());
}

#ifndef NDEBUG
TEST_CASE("lock order: a broken order ends a debug build") {
  const auto registry_after_policy = [] {
    // Neither Catch's handler nor a sanitizer's is to report the end that is wanted.
    std::signal(SIGABRT, SIG_DFL);
    close(2);
    const ThreadPolicyLock lock;
    const ProfilerThreadRegistry::LockedRegistry registry;
    return 0;
  };
  const int status = StatusInChild(registry_after_policy);
  CHECK(status == 128 + SIGABRT);
}
#endif

}  // namespace
}  // namespace geckoprof
