#include <sys/auxv.h>
#include <time.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "geckoprof/base/clock.h"

namespace geckoprof {
namespace {

#if defined(__x86_64__)
constexpr const char* kClock = "__vdso_clock_gettime";
#else
constexpr const char* kClock = "__kernel_clock_gettime";
#endif

TEST_CASE("the kernel's clock is found and tells the time") {
  const uintptr_t image = getauxval(AT_SYSINFO_EHDR);
  if (image == 0) return;  // an emulator without one
  auto* const clock = reinterpret_cast<int (*)(clockid_t, timespec*)>(FindVdsoFunction(image, kClock));
  REQUIRE(clock != nullptr);
  timespec before = {}, now = {};
  clock_gettime(CLOCK_MONOTONIC, &before);
  REQUIRE(clock(CLOCK_MONOTONIC, &now) == 0);
  CHECK((now.tv_sec > before.tv_sec || (now.tv_sec == before.tv_sec && now.tv_nsec >= before.tv_nsec)));
}

TEST_CASE("what is not there is null") {
  CHECK(FindVdsoFunction(0, kClock) == nullptr);
  CHECK(FindVdsoFunction(getauxval(AT_SYSINFO_EHDR), "no_such_function") == nullptr);
  alignas(8) char no_elf[64] = "text";
  CHECK(FindVdsoFunction(reinterpret_cast<uintptr_t>(no_elf), kClock) == nullptr);
}

}  // namespace
}  // namespace geckoprof
