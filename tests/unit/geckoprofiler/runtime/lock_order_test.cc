#include "runtime/lock_order.h"

#include <unistd.h>

#include <csignal>
#include <thread>

#include "catch2/catch.hpp"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

using enum LockRank;

TEST_CASE("lock order: downwards only, each rank for itself but the registry") {
  for (const LockRank held : {kProfiler, kRegistry, kPolicy, kData}) {
    LockOrder::Take(held);
    for (const LockRank wanted : {kProfiler, kRegistry, kPolicy, kData}) {
      const bool again = wanted == kRegistry && held == kRegistry;
      CHECK(LockOrder::MayTake(wanted) == (wanted > held || again));
    }
    CHECK(LockOrder::Holds(held));
    CHECK(LockOrder::HoldsAny());
    LockOrder::Release(held);
    CHECK_FALSE(LockOrder::HoldsAny());
    CHECK(LockOrder::MayTake(held));
  }
}

TEST_CASE("lock order: what another thread holds does not count") {
  const LockOrder::Scope policy(kPolicy);
  bool other_holds = true;
  std::thread([&] { other_holds = LockOrder::HoldsAny(); }).join();
  CHECK_FALSE(other_holds);
  CHECK(LockOrder::Holds(kPolicy));
}

TEST_CASE("lock order: a release too many does nothing") {
  LockOrder::Release(kData);
  CHECK_FALSE(LockOrder::HoldsAny());
}

#ifndef NDEBUG
TEST_CASE("lock order: a broken order ends a debug build") {
  const auto registry_after_policy = [] {
    // Neither Catch's handler nor a sanitizer's is to report the end that is wanted.
    std::signal(SIGABRT, SIG_DFL);
    close(2);
    const LockOrder::Scope policy(kPolicy);
    const LockOrder::Scope registry(kRegistry);
    return 0;
  };
  const int status = StatusInChild(registry_after_policy);
  CHECK(status == 128 + SIGABRT);
}
#endif

}  // namespace
}  // namespace geckoprof
