#include "sampler/cycle_clock.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "geckoprof/base/clock.h"

namespace geckoprof {
namespace {

// By a process that may make no system call but those of strict mode.
bool IsTimeReadWithoutKernel() {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    MonotonicNs();
    syscall(SYS_exit, 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status);
}

TEST_CASE("cycles become times by the rate of the first and the latest reading") {
  CycleClock clock;
  clock.Start(1'000, 50'000);
  clock.Update(3'000, 51'000);  // 0.5 ns a cycle
  CHECK(clock.ToNs(3'000) == 51'000);
  CHECK(clock.ToNs(2'000) == 50'500);
  CHECK(clock.ToNs(5'000) == 52'000);
  CHECK(clock.DurationNs(400) == 200);
}

TEST_CASE("before there is a rate every reading is the time of the latest, and durations are 0") {
  CycleClock clock;
  clock.Start(1'000, 50'000);
  CHECK(clock.ToNs(900) == 50'000);
  CHECK(clock.ToNs(1'000'000) == 50'000);
  CHECK(clock.DurationNs(1'000'000) == 0);
}

TEST_CASE("the distance is taken from the latest reading, so an old error of the rate does not grow") {
  CycleClock clock;
  clock.Start(0, 0);
  clock.Update(1'000'000, 2'000'000);
  clock.Update(2'000'000, 5'000'000);
  CHECK(clock.ToNs(2'000'000) == 5'000'000);
  CHECK(clock.ToNs(2'000'100) == 5'000'250);
}

TEST_CASE("a counter that jumps back starts anew instead of giving a negative rate") {
  CycleClock clock;
  clock.Start(10'000, 1'000);
  clock.Update(20'000, 6'000);
  clock.Update(500, 7'000);
  CHECK(clock.ToNs(500) == 7'000);
  clock.Update(1'500, 8'000);
  CHECK(clock.ToNs(1'000) == 7'500);
}

TEST_CASE("a stopped time or counter does not divide by zero") {
  CycleClock clock;
  clock.Start(10'000, 1'000);
  clock.Update(10'000, 2'000);
  clock.Update(20'000, 2'000);
  CHECK(clock.ToNs(20'000) == 2'000);
}

TEST_CASE("the counter is the kernel's clock where it says so, and a guest's where the vDSO reads it by itself") {
  std::string source;
  std::ifstream("/sys/devices/system/clocksource/clocksource0/current_clocksource") >> source;
  const bool is_counter = source == "tsc" || (source == "kvm-clock" && IsTimeReadWithoutKernel());
  CHECK(IsCounterTheKernelsClock() == is_counter);
}

}  // namespace
}  // namespace geckoprof
