#include "runtime/api_call.h"

#include <catch2/catch.hpp>
#include <mutex>
#include <new>

#include "runtime/api_locks.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

TEST_CASE("a call comes in once, and may come in again from outside") {
  CHECK_FALSE(ApiCall::IsInside());
  int calls = 0;
  const ProfilerStatus status = ApiCall::Run([&] {
    CHECK(ApiCall::IsInside());
    CHECK(ApiCall::Run([&] { ++calls; }) == ProfilerStatus::kWrongThread);
    {
      const ApiCall::Outside outside;
      CHECK(ApiCall::Run([&] { ++calls; }) == ProfilerStatus::kDone);
    }
    CHECK(ApiCall::Answer([] { return ProfilerOutcome{}; }).status == ProfilerStatus::kWrongThread);
  });
  CHECK(status == ProfilerStatus::kDone);
  CHECK(calls == 1);
  CHECK_FALSE(ApiCall::IsInside());
}

TEST_CASE("who holds the registry is refused") {
  const ApiLocks::Scope registry(ApiLockRank::kRegistry);
  CHECK(ApiCall::Run([] {}) == ProfilerStatus::kWrongThread);
}

TEST_CASE("an outcome comes through with its text") {
  const ProfilerOutcome outcome = ApiCall::Answer([] { return ProfilerOutcome{ProfilerStatus::kRefused, "why"}; });
  CHECK(outcome.status == ProfilerStatus::kRefused);
  CHECK(outcome.Text() == "why");
}

TEST_CASE("memory that runs out is an answer, and locks are released") {
  std::mutex mutex;
  const ProfilerOutcome outcome = ApiCall::Answer([&mutex]() -> ProfilerOutcome {
    const std::lock_guard<std::mutex> holder(mutex);
    throw std::bad_alloc();
  });
  CHECK(outcome.status == ProfilerStatus::kNoMemory);
  CHECK(outcome.Text() == "out of memory");
  CHECK(outcome.Text().capacity() == std::string().capacity());  // it needs none
  CHECK(mutex.try_lock());
  mutex.unlock();
  CHECK_FALSE(ApiCall::IsInside());
}

TEST_CASE("a function that runs out of memory answers so") {
  bool ran = false;
  CHECK(RunUnlessOutOfMemory([](void* argument) { *static_cast<bool*>(argument) = true; }, &ran));
  CHECK(ran);
  CHECK_FALSE(RunUnlessOutOfMemory([](void*) { throw std::bad_alloc(); }, nullptr));
}

TEST_CASE("a child is another process, until it is adopted") {
  CHECK(StatusInChild([] {
          LibraryProcess::Adopt();
          if (!LibraryProcess::IsThis()) return 1;
          if (StatusInChild([] { return LibraryProcess::IsThis() ? 1 : 0; }) != 0) return 2;
          return StatusInChild([] {
            LibraryProcess::Adopt();
            return LibraryProcess::IsThis() ? 0 : 3;
          });
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
