#include "tools/record/program_search.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "tests/support/temporary_folder.h"

namespace geckoprof {
namespace {

TEST_CASE("programs are found as a shell finds them") {
  const TemporaryFolder first;
  const TemporaryFolder second;
  first.Write("plain", "", 0644);
  second.Write("plain", "", 0755);
  second.Write("tool", "", 0755);
  second.Write("data", "", 0644);
  REQUIRE(mkdir((first.path() + "/tool").c_str(), 0755) == 0);
  const std::string path = "/no/such/folder:" + first.path() + ":" + second.path();

  CHECK(FindProgram("tool", path.c_str()).path == second.path() + "/tool");
  CHECK(FindProgram("plain", path.c_str()).path == second.path() + "/plain");
  CHECK(FindProgram("data", path.c_str()).exit_status == kStatusNotExecutable);
  CHECK(FindProgram("none", path.c_str()).exit_status == kStatusNotFound);
  CHECK(FindProgram("", path.c_str()).exit_status == kStatusNotFound);
  CHECK(FindProgram("sh", nullptr).error.empty());
  CHECK(FindProgram(second.path() + "/tool", "").path == second.path() + "/tool");
  CHECK(FindProgram(second.path() + "/data", "").exit_status == kStatusNotExecutable);
  CHECK(FindProgram(second.path() + "/data/x", "").exit_status == kStatusNotFound);
  CHECK(FindProgram(first.path(), "").error == first.path() + ": is a directory, not a program");
  CHECK(FindProgram(".", path.c_str()).error == ".: is a directory, not a program");
  CHECK(FindProgram("..", path.c_str()).exit_status == kStatusNotExecutable);
  CHECK(FindProgram("/dev/null", "").exit_status == kStatusNotExecutable);
}

}  // namespace
}  // namespace geckoprof
