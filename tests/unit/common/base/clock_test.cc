#include "geckoprof/base/clock.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <thread>

namespace geckoprof {
namespace {

ThreadId Self() { return ThreadId::FromNumber(static_cast<int32_t>(syscall(SYS_gettid))); }

TEST_CASE("monotonic time does not go back") {
  const int64_t first = MonotonicNs();
  CHECK(MonotonicNs() >= first);
  CHECK(first > 0);
}

TEST_CASE("a thread's CPU clock grows while it works, and not while it sleeps") {
  const int64_t before = ThreadCpuNs(Self());
  REQUIRE(before >= 0);
  while (ThreadCpuNs(Self()) < before + 1'000'000) {
  }
  const int64_t worked = ThreadCpuNs(Self());
  CHECK(SleepUntilNs(MonotonicNs() + 20'000'000) == 0);
  CHECK(ThreadCpuNs(Self()) - worked < 10'000'000);
}

TEST_CASE("a thread's own CPU clock is the same one") {
  const int64_t before = ThreadCpuNs(Self()), own = CurrentThreadCpuNs();
  CHECK((own >= before && ThreadCpuNs(Self()) >= own));
}

TEST_CASE("the CPU clock of a thread that has ended is an error") {
  ThreadId ended;
  std::thread([&] { ended = Self(); }).join();
  // The kernel may keep the entry for a moment after join.
  int64_t result = 0;
  for (int i = 0; i < 1000 && result >= 0; ++i) {
    result = ThreadCpuNs(ended);
    SleepUntilNs(MonotonicNs() + 1'000'000);
  }
  CHECK(result < 0);
}

TEST_CASE("sleeping until a time that is over returns at once") { CHECK(SleepUntilNs(1) == 0); }

}  // namespace
}  // namespace geckoprof
