#include "sampler/run_delay.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <thread>

#include "tests/support/await.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

TEST_CASE("a line of schedstat has three numbers") {
  RunDelay delay;
  REQUIRE(RunDelay::Parse("10907756 9521 14\n", delay));
  CHECK(delay.ran_ns == 10'907'756);
  CHECK(delay.ready_ns == 9521);
  CHECK(delay.slices == 14);
  CHECK(RunDelay::Parse("1 2 3", delay));
  CHECK(RunDelay::Parse("999999999999999999 2 3\n", delay));
  for (const char* const line : {"", "\n", "1 2\n", "1 2 \n", "-1 2 3\n", "1 2 3 4\n", "1000000000000000000 2 3\n"}) {
    CHECK_FALSE(RunDelay::Parse(line, delay));
  }
}

Fd FileWith(std::string_view text) {
  Fd file(memfd_create("schedstat", MFD_CLOEXEC));
  REQUIRE(write(file.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  return file;
}

TEST_CASE("only zeros for a thread that ran say that the kernel does not count") {
  Schedstat schedstat;
  if (!schedstat.is_counted()) return;  // no file at all
  RunDelay delay;
  CHECK(schedstat.Read(FileWith("0 0 0\n"), false, delay));
  CHECK(schedstat.is_counted());
  CHECK_FALSE(schedstat.Read(FileWith(""), true, delay));
  CHECK_FALSE(schedstat.Read(Fd(), true, delay));
  CHECK(schedstat.is_counted());
  CHECK_FALSE(schedstat.Read(FileWith("0 0 0\n"), true, delay));
  CHECK_FALSE(schedstat.is_counted());
}

TEST_CASE("a thread that has run is counted, and one that has ended is not there") {
  Schedstat schedstat;
  Fd file;
  std::thread thread([&] {
    file = Schedstat::Open(ThreadId::FromNumber(static_cast<int32_t>(syscall(SYS_gettid))));
    RunDelay delay;
    if (!schedstat.is_counted() || !schedstat.Read(file, true, delay)) return;
    CHECK(delay.slices > 0);
  });
  thread.join();
  CHECK(file.ok() == schedstat.is_counted());
  RunDelay delay;
  CHECK(Soon([&] { return !schedstat.Read(file, true, delay); }));
}

TEST_CASE("a row has at most the time in which the thread did not run, and the next row has the rest") {
  ReadyTime ready;
  CHECK(ready.Charge(700 * kMs, 10 * kMs, -1) == 0);  // before the recording
  CHECK(ready.Charge(700 * kMs, 11 * kMs, kMs) == 0);
  CHECK(ready.Charge(703 * kMs, 12 * kMs, kMs / 4) == kMs - kMs / 4);  // the scheduler was asked later
  CHECK(ready.Charge(703 * kMs, 12 * kMs, 0) == 0);
  CHECK(ready.Charge(703 * kMs, 20 * kMs, kMs) == 2 * kMs + kMs / 4);
  CHECK(ready.Charge(703 * kMs, 30 * kMs, kMs) == 0);
}

TEST_CASE("a thread that began in the recording has the time since its begin") {
  ReadyTime ready;
  ready.BeginAt(5 * kMs);
  CHECK(ready.Charge(2 * kMs, 8 * kMs, kMs / 2) == 2 * kMs);
  CHECK(ready.Charge(9 * kMs, 9 * kMs, 2 * kMs) == 0);  // more CPU time than there was
  CHECK(ready.Charge(9 * kMs, 7 * kMs, 0) == 0);        // a time before the last row's
  CHECK(ready.Charge(9 * kMs, 10 * kMs, -1) == kMs);
}

}  // namespace
}  // namespace geckoprof
