#include "tools/recover/left_session.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "temporary_folder.h"
#include "tools/record/session_directory.h"

namespace geckoprof {
namespace {

const std::string kGone = std::to_string(1 << 23);  // above every pid

std::string MakeFolder(const TemporaryFolder& parent, const std::string& name, mode_t mode = 0700) {
  const std::string path = parent.path() + "/" + name;
  REQUIRE(mkdir(path.c_str(), 0700) == 0);
  REQUIRE(chmod(path.c_str(), mode) == 0);
  return path;
}

std::string OfUser() { return "geckoprof-" + std::to_string(geteuid()); }

TEST_CASE("a session whose processes are gone was left behind, and is removed with all that is in it") {
  const TemporaryFolder parent;
  for (const char* name : {"geckoprof-a1B2c3", "geckoprof-a1B2c3.old"}) {
    const std::string path = MakeFolder(parent, name);
    parent.Write(std::string(name) + "/" + kGone + "-0.segment", std::string(5000, 'x'));
    parent.Write(std::string(name) + "/" + kGone + "-1.segment.new", "");
    parent.Write(std::string(name) + "/full", "");
    REQUIRE(symlink("no-space", (path + "/note-" + kGone).c_str()) == 0);
  }
  const std::vector<LeftSession> sessions = FindLeftSessions({parent.path(), "/no/such/folder", parent.path()});
  REQUIRE(sessions.size() == 2);
  CHECK(sessions[0].path == parent.path() + "/geckoprof-a1B2c3");
  for (const LeftSession& session : sessions) {
    CHECK_FALSE(session.in_use);
    CHECK(session.bytes >= 5000);
    CHECK(session.segments == std::vector<std::string>{session.path + "/" + kGone + "-0.segment"});
    CHECK(session.Remove() == 0);
    CHECK_FALSE(std::filesystem::exists(session.path));
  }
}

TEST_CASE("a session is in use while one of its processes lives") {
  const TemporaryFolder parent;
  MakeFolder(parent, "geckoprof-a1B2c3");
  parent.Write("geckoprof-a1B2c3/" + kGone + "-0.segment", "");
  parent.Write("geckoprof-a1B2c3/" + std::to_string(getpid()) + "-0.segment", "");
  const std::vector<LeftSession> sessions = FindLeftSessions({parent.path()});
  REQUIRE(sessions.size() == 1);
  CHECK(sessions[0].in_use);
}

TEST_CASE("a session is in use while its recorder lives") {
  const TemporaryFolder parent;
  absl::StatusOr<SessionDirectory> session = SessionDirectory::CreateBelow({parent.path()}, 1 << 20);
  REQUIRE(session.ok());
  const std::string name = session->path().substr(parent.path().size() + 1);
  parent.Write(name + "/" + kGone + "-0.segment", "");
  REQUIRE(FindLeftSessions({parent.path()}).size() == 1);
  CHECK(FindLeftSessions({parent.path()})[0].in_use);
  {
    SessionDirectory ended = *std::move(session);
    CHECK(FindLeftSessions({parent.path()})[0].in_use);
    ended.Keep();
  }
  REQUIRE(FindLeftSessions({parent.path()}).size() == 1);
  CHECK_FALSE(FindLeftSessions({parent.path()})[0].in_use);
}

TEST_CASE("a directory without anything may be one that a recorder has just made") {
  const TemporaryFolder parent;
  MakeFolder(parent, "geckoprof-a1B2c3");
  REQUIRE(FindLeftSessions({parent.path()}).size() == 1);
  CHECK(FindLeftSessions({parent.path()})[0].in_use);
}

TEST_CASE("what programs without a recorder left is one session a file") {
  const TemporaryFolder parent;
  const std::string folder = MakeFolder(parent, OfUser());
  parent.Write(OfUser() + "/" + kGone + "-0.segment", "x");
  parent.Write(OfUser() + "/" + std::to_string(getpid()) + "-0.segment", "x");
  parent.Write(OfUser() + "/unrelated", "x");
  const std::vector<LeftSession> sessions = FindLeftSessions({parent.path()});
  REQUIRE(sessions.size() == 2);
  for (const LeftSession& session : sessions) {
    CHECK(session.in_use == (session.path != folder + "/" + kGone + "-0.segment"));
    CHECK(session.segments == std::vector<std::string>{session.path});
  }
}

TEST_CASE("other people's folders, and other folders, are left alone") {
  const TemporaryFolder parent;
  MakeFolder(parent, "geckoprof-shared-by-all", 0700);
  MakeFolder(parent, "geckoprof-open12", 0755);
  MakeFolder(parent, "geckoprof-a-B2c3");
  MakeFolder(parent, "geckoprof-toolong");
  MakeFolder(parent, "another-a1B2c3");
  MakeFolder(parent, "geckoprof-a1B2c4");
  parent.Write("geckoprof-a1B2c4/1-0.segment", "");
  parent.Write("geckoprof-a1B2c4/letter.txt", "mine");
  parent.Write("geckoprof-a1B2c5", "a file");
  REQUIRE(symlink("geckoprof-a1B2c4", (parent.path() + "/geckoprof-a1B2c6").c_str()) == 0);
  for (const LeftSession& session : FindLeftSessions({parent.path()})) CHECK(session.path == "none");
}

}  // namespace
}  // namespace geckoprof
