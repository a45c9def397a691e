#include "tools/record/public_library.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "temporary_folder.h"

namespace geckoprof {
namespace {

TEST_CASE("readable by all means the file and every folder above it") {
  const TemporaryFolder folder;
  const std::string file = folder.Write("library", "x", 0644);
  REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
  CHECK(PublicLibrary::IsReadableByAll(file));
  REQUIRE(chmod(file.c_str(), 0640) == 0);
  CHECK_FALSE(PublicLibrary::IsReadableByAll(file));
  REQUIRE(chmod(file.c_str(), 0644) == 0);
  REQUIRE(chmod(folder.path().c_str(), 0754) == 0);
  CHECK_FALSE(PublicLibrary::IsReadableByAll(file));
  CHECK_FALSE(PublicLibrary::IsReadableByAll(folder.path() + "/none"));
}

TEST_CASE("a library that not all may read is copied for root, and the copy goes with the object") {
  const TemporaryFolder folder;
  const std::string file = folder.Write("libbaseprofiler.so", "contents", 0600);
  std::string path;
  {
    const PublicLibrary library(file);
    path = library.path();
    CHECK((path == file) == (geteuid() != 0));
    if (path != file) CHECK(PublicLibrary::IsReadableByAll(path));
    CHECK(std::filesystem::file_size(path) == 8);
  }
  CHECK(std::filesystem::exists(path) == (path == file));
  CHECK((path == file || !std::filesystem::exists(std::filesystem::path(path).parent_path())));
}

}  // namespace
}  // namespace geckoprof
