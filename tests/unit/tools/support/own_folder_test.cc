#include "tools/support/own_folder.h"

#include <errno.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("a program's own folder holds its file") {
  const auto folder = OwnFolder();
  REQUIRE(folder.ok());
  CHECK(folder->front() == '/');
  struct stat running, found;
  REQUIRE(stat("/proc/self/exe", &running) == 0);
  REQUIRE(stat((*folder + "/" + program_invocation_short_name).c_str(), &found) == 0);
  CHECK(running.st_ino == found.st_ino);
}

}  // namespace
}  // namespace geckoprof
