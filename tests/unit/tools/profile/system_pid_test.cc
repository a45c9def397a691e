#include "tools/profile/system_pid.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("programs that one process ran have its pid") {
  CHECK(SystemPid("4711", ProfileFormat::kProcessed) == "4711");
  CHECK(SystemPid("4711.12", ProfileFormat::kProcessed) == "4711");
  CHECK(SystemPid("4711", ProfileFormat::kGecko) == "4711");
  CHECK(SystemPid("120004711", ProfileFormat::kGecko) == "4711");
}

TEST_CASE("the same pid in another namespace is another process") {
  CHECK(SystemPid("1@2", ProfileFormat::kProcessed) == "1@2");
  CHECK(SystemPid("1@2.3", ProfileFormat::kProcessed) == "1@2");
  CHECK(SystemPid("200000030000001", ProfileFormat::kGecko) == "1@2");
  for (const char* pid : {"1@.3", "@1.3", "1@2@3.1"}) CHECK(SystemPid(pid, ProfileFormat::kProcessed) == pid);
}

TEST_CASE("pids of other kinds stay as they are") {
  for (const char* pid : {"", ".", "4711.", ".1", "4711.1.2", "4711 (a.b)", "a.1", "10004711"}) {
    CHECK(SystemPid(pid, ProfileFormat::kProcessed) == pid);
  }
  for (const char* pid : {"", "-1", "x", "1.5", "99999999999999999999999"}) {
    CHECK(SystemPid(pid, ProfileFormat::kGecko) == pid);
  }
}

}  // namespace
}  // namespace geckoprof
