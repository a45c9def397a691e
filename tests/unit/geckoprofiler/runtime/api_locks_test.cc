#include "runtime/api_locks.h"

#include <unistd.h>

#include <csignal>
#include <thread>

#include "catch2/catch.hpp"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

using enum ApiLockRank;

TEST_CASE("lock order: downwards only, each rank for itself but the registry") {
  for (const ApiLockRank held : {kProfiler, kRegistry, kPolicy, kData}) {
    ApiLocks::Acquire(held);
    for (const ApiLockRank wanted : {kProfiler, kRegistry, kPolicy, kData}) {
      const bool again = wanted == kRegistry && held == kRegistry;
      CHECK(ApiLocks::MayAcquire(wanted) == (wanted > held || again));
    }
    CHECK(ApiLocks::Holds(held));
    CHECK(ApiLocks::HoldsAny());
    ApiLocks::Release(held);
    CHECK_FALSE(ApiLocks::HoldsAny());
    CHECK(ApiLocks::MayAcquire(held));
  }
}

TEST_CASE("lock order: what another thread holds does not count") {
  const ApiLocks::Scope policy(kPolicy);
  bool other_holds = true;
  std::thread([&] { other_holds = ApiLocks::HoldsAny(); }).join();
  CHECK_FALSE(other_holds);
  CHECK(ApiLocks::Holds(kPolicy));
}

TEST_CASE("lock order: a release too many does nothing") {
  ApiLocks::Release(kData);
  CHECK_FALSE(ApiLocks::HoldsAny());
}

#ifndef NDEBUG
TEST_CASE("lock order: a broken order ends a debug build") {
  const auto registry_after_policy = [] {
    // Neither Catch's handler nor a sanitizer's is to report the end that is wanted.
    std::signal(SIGABRT, SIG_DFL);
    close(2);
    const ApiLocks::Scope policy(kPolicy);
    const ApiLocks::Scope registry(kRegistry);
    return 0;
  };
  const int status = StatusInChild(registry_after_policy);
  CHECK(status == 128 + SIGABRT);
}
#endif

}  // namespace
}  // namespace geckoprof
