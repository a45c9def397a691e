#include "tools/record/base_library.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "tests/support/temporary_folder.h"

namespace geckoprof {
namespace {

TEST_CASE("the library lies beside the command's folder") {
  const TemporaryFolder folder;
  const std::string bin = folder.path() + "/bin";
  REQUIRE(mkdir(bin.c_str(), 0755) == 0);
  REQUIRE(mkdir((folder.path() + "/lib").c_str(), 0755) == 0);
  REQUIRE(mkdir((folder.path() + "/lib/geckoprof").c_str(), 0755) == 0);
  CHECK_FALSE(FindBaseLibraryFrom(bin).ok());
  const std::string private_place = folder.Write("lib/geckoprof/libbaseprofiler.so", "");
  CHECK(FindBaseLibraryFrom(bin).value() == private_place);
  const std::string place = folder.Write("lib/libbaseprofiler.so", "");
  CHECK(FindBaseLibraryFrom(bin).value() == place);
}

TEST_CASE("a path that LD_PRELOAD cannot hold is refused") {
  const TemporaryFolder folder;
  const std::string root = folder.path() + "/a b";
  for (const char* part : {"", "/bin", "/lib"}) REQUIRE(mkdir((root + part).c_str(), 0755) == 0);
  folder.Write("a b/lib/libbaseprofiler.so", "");
  CHECK(FindBaseLibraryFrom(root + "/bin").status().code() == absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace geckoprof
