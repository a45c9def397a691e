#include "tools/profile/system_pid.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("programs that one process ran have its pid") {
  CHECK(SystemPid("4711") == "4711");
  CHECK(SystemPid("4711.12") == "4711");
  CHECK(ProcessedPidOfGecko("4711") == "4711");
  CHECK(ProcessedPidOfGecko("120004711") == "4711.12");
}

TEST_CASE("the same pid in another namespace is another process") {
  CHECK(SystemPid("1@2") == "1@2");
  CHECK(SystemPid("1@2.3") == "1@2");
  CHECK(ProcessedPidOfGecko("200000000000001") == "1@2");
  CHECK(ProcessedPidOfGecko("200000030000001") == "1@2.3");
  for (const char* pid : {"1@.3", "@1.3", "1@2@3.1"}) CHECK(SystemPid(pid) == pid);
}

TEST_CASE("pids of other kinds stay as they are") {
  for (const char* pid : {"", ".", "4711.", ".1", "4711.1.2", "4711 (a.b)", "a.1", "10004711"})
    CHECK(SystemPid(pid) == pid);
  for (const char* pid : {"", "-1", "x", "1.5", "99999999999999999999999"}) CHECK(ProcessedPidOfGecko(pid) == pid);
}

}  // namespace
}  // namespace geckoprof
