#include "tools/support/output_place.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

// Where names lead to is tests/unit/common/base/file_place_test.cc.
TEST_CASE("a place says what it leads to and what is there, or why it cannot be told") {
  char path[] = "/tmp/output_place_test.XXXXXX";
  REQUIRE(mkdtemp(path) != nullptr);
  const std::string folder = path, file = folder + "/a";
  REQUIRE(symlink("a", (folder + "/link").c_str()) == 0);
  REQUIRE(symlink("circle", (folder + "/circle").c_str()) == 0);
  const auto none = OutputPlace::Find(folder + "/link");
  REQUIRE(none.ok());
  CHECK(none->way == OutputPlace::Way::kReplace);
  CHECK(none->file == file);
  CHECK_FALSE(none->status.has_value());
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0640);
  REQUIRE((fd >= 0 && fchmod(fd, 0640) == 0));
  none->CopyPermissions(fd);  // of nothing
  const auto some = OutputPlace::Find(folder + "/link");
  REQUIRE((some.ok() && some->status.has_value()));
  CHECK((some->status->st_mode & 0777) == 0640);
  REQUIRE(fchmod(fd, 0600) == 0);
  some->CopyPermissions(fd);
  struct stat info = {};
  REQUIRE(fstat(fd, &info) == 0);
  CHECK((info.st_mode & 0777) == 0640);
  close(fd);
  CHECK(OutputPlace::Find("/dev/null")->way == OutputPlace::Way::kStream);
  const auto circle = OutputPlace::Find(folder + "/circle");
  REQUIRE_FALSE(circle.ok());
  CHECK(circle.status().message().find("circle") != std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST_CASE("two names of one file") {
  char path[] = "/tmp/output_place_test.XXXXXX";
  REQUIRE(mkdtemp(path) != nullptr);
  const std::string folder = path, file = folder + "/a";
  CHECK(LeadToOneFile(file, folder + "/./a"));  // that is not there yet
  CHECK_FALSE(LeadToOneFile(file, folder + "/b"));
  CHECK_FALSE(LeadToOneFile(file, folder + "/none/a"));
  CHECK(CheckIsNoInput(file, std::vector<std::string>{folder + "/b", "-"}).ok());
  close(open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  REQUIRE(symlink("a", (folder + "/link").c_str()) == 0);
  CHECK(LeadToOneFile(file, folder + "/link"));
  CHECK_FALSE(LeadToOneFile(file, folder + "/b"));
  CHECK_FALSE(LeadToOneFile("/dev/null", "/dev/null"));
  CHECK_FALSE(CheckIsNoInput(folder + "/link", std::vector<std::string>{folder + "/b", file}).ok());
  CHECK(CheckIsNoInput("-", std::vector<std::string>{"-"}).ok());
  std::filesystem::remove_all(folder);
}

TEST_CASE("the folder of a path") {
  CHECK(FolderOf("a") == "./");
  CHECK(FolderOf("/a") == "/");
  CHECK(FolderOf("b/c/a") == "b/c/");
}

TEST_CASE("a message names its file once") {
  CHECK(WithName("/dev/full", "cannot write /dev/full: No space left on device") ==
        "cannot write /dev/full: No space left on device");
  CHECK(WithName("D", "D is a directory") == "D is a directory");
  CHECK(WithName("e", "cannot write the file") == "e: cannot write the file");
  CHECK(WithName("a.html", "not enough room") == "a.html: not enough room");
  CHECK(WithName("", "the name of the output file is empty") == ": the name of the output file is empty");
}

}  // namespace
}  // namespace geckoprof
