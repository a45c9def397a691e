#include "tools/support/private_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"

namespace geckoprof {
namespace {

TEST_CASE("a folder is trusted if nobody else can exchange what it and those above it hold") {
  const TemporaryFolder folder;
  const std::string inner = folder.path() + "/a/b";
  REQUIRE(std::filesystem::create_directories(inner));
  CHECK(CheckTrusted(inner).ok());
  CHECK(CheckTrusted("/").ok());
  CHECK(CheckTrusted("/tmp").ok());
  CHECK(CheckTrusted(inner + "/not/there/yet").ok());
  for (const std::string& path : {inner, folder.path() + "/a"}) {
    INFO(path);
    for (const mode_t mode : {0777u, 0770u}) {
      REQUIRE(chmod(path.c_str(), mode) == 0);
      CHECK(CheckTrusted(inner).message() == "other users may write to " + path);
      CHECK_FALSE(CheckTrusted(inner + "/not/there/yet").ok());
    }
    REQUIRE(chmod(path.c_str(), 01777) == 0);
    CHECK(CheckTrusted(inner).ok());
    if (geteuid() != 0) continue;
    REQUIRE(chown(path.c_str(), 12345, 12345) == 0);
    CHECK(CheckTrusted(inner).message() == path + " belongs to another user");
    REQUIRE(chown(path.c_str(), 0, 0) == 0);
  }
}

TEST_CASE("a link on the way must be this user's or root's, and so must its folder") {
  if (geteuid() != 0) return;
  const TemporaryFolder folder;
  const std::string others = folder.path() + "/others", inner = folder.path() + "/inner";
  REQUIRE(std::filesystem::create_directories(inner + "/below"));
  REQUIRE(std::filesystem::create_directory(others));
  const auto link = [](const std::string& target, const std::string& name, uid_t owner) {
    std::filesystem::create_symlink(target, name);
    REQUIRE(lchown(name.c_str(), owner, owner) == 0);
    return name;
  };
  const std::string own = link("../inner", others + "/own", 0), chain = link("own", others + "/chain", 0);
  for (const std::string& name : {own, chain, own + "/below/..", own + "/"}) CHECK(CheckTrusted(name).ok());
  const std::string foreign = link(inner, folder.path() + "/foreign", 12345);
  const std::string behind = link(foreign, folder.path() + "/behind", 0);
  for (const std::string& name : {foreign, foreign + "/below", behind, foreign + "/../inner"}) {
    INFO(name);
    CHECK(CheckTrusted(name).message() == foreign + " belongs to another user");
    CHECK_FALSE(PrivateFolder::Make(name, "x-").ok());
  }
  REQUIRE(chown(others.c_str(), 12345, 12345) == 0);
  CHECK(CheckTrusted(own).message() == others + " belongs to another user");
  const std::string loop = link("loop", folder.path() + "/loop", 0);
  CHECK_FALSE(CheckTrusted(loop).ok());
}

TEST_CASE("what a link of this user leads to decides, too") {
  const TemporaryFolder folder;
  const std::string open_folder = folder.path() + "/open", link = folder.path() + "/link";
  REQUIRE(std::filesystem::create_directory(open_folder));
  REQUIRE(chmod(open_folder.c_str(), 0777) == 0);
  std::filesystem::create_symlink(open_folder, link);
  CHECK_FALSE(CheckTrusted(link).ok());
  CHECK_FALSE(PrivateFolder::Make(link, "x-").ok());
}

TEST_CASE("a private folder has mode 0700 under any umask, and a path without links") {
  const TemporaryFolder folder;
  const std::string link = folder.path() + "/link";
  std::filesystem::create_symlink(folder.path(), link);
  for (const mode_t mask : {0777u, 0277u, 0u}) {
    const mode_t before = umask(mask);
    const absl::StatusOr<PrivateFolder> made = PrivateFolder::Make(link, "x-");
    umask(before);
    REQUIRE(made.ok());
    CHECK(made->path.starts_with(std::filesystem::canonical(folder.path()).string() + "/x-"));
    struct stat info = {};
    REQUIRE((made->lock.ok() && stat(made->path.c_str(), &info) == 0));
    CHECK(info.st_mode == (S_IFDIR | 0700));
  }
}

TEST_CASE("without a parent there is no folder, and the error names it") {
  const absl::StatusOr<PrivateFolder> made = PrivateFolder::Make("/no/such/folder", "x-");
  REQUIRE_FALSE(made.ok());
  CHECK(made.status().message().find("/no/such/folder") != std::string::npos);
}

}  // namespace
}  // namespace geckoprof
