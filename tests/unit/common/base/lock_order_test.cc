#include "geckoprof/base/lock_order.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "geckoprof/base/recursive_lock.h"

namespace geckoprof {
namespace {

// Runs `body` in a child process. True if the child came to its end.
template <typename Body>
bool Survives(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status == 0;
}

#ifdef NDEBUG
constexpr bool kChecks = false;
#else
constexpr bool kChecks = true;
#endif

TEST_CASE("locks may be taken in the order of their ranks, again and again, and one of them twice if it is recursive") {
  CHECK(Survives([] {
    RecursiveLock lifecycle(LockRank::kLifecycle);
    RecursiveLock table(LockRank::kTable);
    for (int i = 0; i < 200; ++i) {
      const RecursiveLockHolder outer(lifecycle);
      const RecursiveLockHolder again(lifecycle);
      const RecursiveLockHolder inner(table);
    }
    const RecursiveLockHolder inner(table);
  }));
}

TEST_CASE("debug builds stop where a lock is taken after one that comes later in the order") {
  CHECK(Survives([] {
          RecursiveLock lifecycle(LockRank::kLifecycle);
          RecursiveLock table(LockRank::kTable);
          const RecursiveLockHolder inner(table);
          const RecursiveLockHolder outer(lifecycle);
        }) != kChecks);
}

TEST_CASE("debug builds stop where two locks of one rank are held at a time") {
  CHECK(Survives([] {
          RecursiveLock one(LockRank::kTable), other(LockRank::kTable);
          const RecursiveLockHolder first(one);
          const RecursiveLockHolder second(other);
        }) != kChecks);
}

TEST_CASE("a lock that is only tried is not checked, since it cannot wait") {
  CHECK(Survives([] {
    RecursiveLock owner(LockRank::kOwner), lifecycle(LockRank::kLifecycle);
    const RecursiveLockHolder held(lifecycle);
    if (owner.TryLock()) owner.Unlock();
  }));
}

TEST_CASE("locks without a rank are not checked") {
  CHECK(Survives([] {
    RecursiveLock table(LockRank::kTable), unordered;
    const RecursiveLockHolder first(table);
    const RecursiveLockHolder second(unordered);
  }));
}

}  // namespace
}  // namespace geckoprof
