#include "tools/record/session_snapshot.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"

namespace geckoprof {
namespace {

TEST_CASE("a snapshot has the files of a session, also when the session has lost them") {
  const TemporaryFolder parent;
  const std::string session = parent.path() + "/geckoprof-abcdef";
  REQUIRE(mkdir(session.c_str(), 0700) == 0);
  parent.Write("geckoprof-abcdef/1-0.segment", "first");
  parent.Write("geckoprof-abcdef/ended", "archive");
  REQUIRE(symlink("no-space", (session + "/note-7").c_str()) == 0);
  std::string path;
  {
    auto snapshot = SessionSnapshot::Make(session, parent.path());
    REQUIRE(snapshot.ok());
    path = snapshot->path();
    CHECK(path.ends_with(".old"));
    CHECK(std::filesystem::equivalent(session + "/1-0.segment", path + "/1-0.segment"));
    unlink((session + "/1-0.segment").c_str());
    CHECK(std::filesystem::file_size(path + "/1-0.segment") == 5);
    CHECK(std::filesystem::exists(path + "/ended"));
    CHECK(std::filesystem::read_symlink(path + "/note-7") == "no-space");
  }
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(std::filesystem::exists(session + "/ended"));
}

TEST_CASE("there is no snapshot of a session that is gone") {
  const TemporaryFolder parent;
  CHECK_FALSE(SessionSnapshot::Make(parent.path() + "/none", parent.path()).ok());
  CHECK(std::filesystem::is_empty(parent.path()));
}

}  // namespace
}  // namespace geckoprof
