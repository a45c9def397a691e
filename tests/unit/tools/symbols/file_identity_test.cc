#include "tools/symbols/file_identity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/unit/tools/symbols/debug_info_sample.h"

namespace geckoprof {
namespace {

TEST_CASE("a file is as it was until anything about it changes") {
  const DebugInfoSample folder;
  const std::string path = folder.folder() + "/file", other = folder.folder() + "/other";
  const FileIdentity none = FileIdentity::Of(path);
  CHECK_FALSE(none.exists);
  CHECK(none.IsStillSo());
  WriteBytes(path, "12345");
  CHECK_FALSE(none.IsStillSo());
  const FileIdentity first = FileIdentity::Of(path);
  CHECK(first.exists);
  CHECK(first.size_bytes == 5);
  CHECK(first.IsStillSo());
  // Another time, set by somebody.
  const timespec times[2] = {{1, 0}, {1'000'000'000, 7}};
  REQUIRE(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
  const FileIdentity touched = FileIdentity::Of(path);
  CHECK(touched.modified_ns == 1'000'000'000'000'000'007);
  CHECK_FALSE(touched == first);
  // Another file of the same size and time.
  WriteBytes(other, "54321");
  REQUIRE(utimensat(AT_FDCWD, other.c_str(), times, 0) == 0);
  REQUIRE(rename(other.c_str(), path.c_str()) == 0);
  CHECK_FALSE(touched.IsStillSo());
  REQUIRE(unlink(path.c_str()) == 0);
  CHECK(none.IsStillSo());
}

}  // namespace
}  // namespace geckoprof
