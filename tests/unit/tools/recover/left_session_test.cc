#include "tools/recover/left_session.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_segment.h"
#include "tools/record/session_directory.h"
#include "tools/support/private_folder.h"

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
    parent.Write(std::string(name) + "/" + kGone + "-1.segment", "");
    parent.Write(std::string(name) + "/full", "");
    REQUIRE(symlink("no-space", (path + "/note-" + kGone).c_str()) == 0);
  }
  const std::vector<LeftSession> sessions = FindLeftSessions({parent.path(), "/no/such/folder", parent.path()});
  REQUIRE(sessions.size() == 2);
  CHECK(sessions[0].path == parent.path() + "/geckoprof-a1B2c3");
  for (const LeftSession& session : sessions) {
    CHECK_FALSE(session.in_use);
    CHECK(session.bytes >= 5000);
    CHECK(session.segments == std::vector<std::string>{kGone + "-0.segment", kGone + "-1.segment"});
    CHECK(session.Remove().outcome == LeftSession::Outcome::kRemoved);
    CHECK_FALSE(std::filesystem::exists(session.path));
  }
}

TEST_CASE("a session is in use while one of its processes lives") {
  const TemporaryFolder parent;
  MakeFolder(parent, "geckoprof-a1B2c3");
  parent.Write("geckoprof-a1B2c3/10000000-0.segment", "");  // above every pid, too, and mostly the first
  parent.Write("geckoprof-a1B2c3/" + kGone + "-0.segment", "");
  parent.Write("geckoprof-a1B2c3/" + std::to_string(getpid()) + "-0.segment", "");
  const std::vector<LeftSession> sessions = FindLeftSessions({parent.path()});
  REQUIRE(sessions.size() == 1);
  CHECK(sessions[0].in_use);
  CHECK(sessions[0].Remove().outcome == LeftSession::Outcome::kInUse);
  const auto files = std::filesystem::directory_iterator(sessions[0].path);
  CHECK(std::distance(files, {}) == 3);
}

TEST_CASE("a session is left behind when its process's id has gone to another process") {
  const TemporaryFolder parent;
  const std::string pid = std::to_string(getpid());
  const std::string folder = MakeFolder(parent, "geckoprof-a1B2c3");
  TestSegment test;  // of a process that ran when the machine had just started
  const std::string segment = folder + "/" + pid + "-0.segment";
  std::filesystem::create_hard_link(test.path(), segment);
  REQUIRE(symlink("1 name", (folder + "/child-" + pid + "-5000000").c_str()) == 0);
  const std::string note = folder + "/note-" + pid;
  REQUIRE(symlink("no-space", note.c_str()) == 0);
  const timespec old[] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
  REQUIRE(utimensat(AT_FDCWD, note.c_str(), old, AT_SYMLINK_NOFOLLOW) == 0);

  test.segment().header().constructor_ns = MonotonicNs();
  CHECK(FindLeftSessions({parent.path()}).at(0).in_use);
  test.segment().header().constructor_ns = 1'000'000'000;
  const std::vector<LeftSession> sessions = FindLeftSessions({parent.path()});
  REQUIRE(sessions.size() == 1);
  CHECK_FALSE(sessions[0].in_use);
  CHECK(sessions[0].Remove().outcome == LeftSession::Outcome::kRemoved);
  CHECK_FALSE(std::filesystem::exists(folder));
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
  CHECK(FindLeftSessions({parent.path()})[0].Remove().outcome == LeftSession::Outcome::kInUse);
}

TEST_CASE("root's copy of the library was left behind when nobody has it any more") {
  if (geteuid() != 0) return;  // has none
  const TemporaryFolder parent;
  const auto find = [&parent] { return FindLeftSessions({parent.path()}); };
  MakeFolder(parent, "geckoprof-lib-a1B2c3", 0755);
  MakeFolder(parent, "geckoprof-lib-a1B2c", 0755);
  REQUIRE(find().size() == 1);
  CHECK(find()[0].in_use);  // just being made
  const std::string file = parent.Write("geckoprof-lib-a1B2c3/libbaseprofiler.so", "contents");
  {
    const Fd recorder = Fd::Open(find()[0].path.c_str(), O_RDONLY | O_DIRECTORY);
    REQUIRE(flock(recorder.number(), LOCK_EX) == 0);
    CHECK(find()[0].in_use);
    CHECK(find()[0].Remove().outcome == LeftSession::Outcome::kInUse);
  }
  const Fd fd = Fd::Open(file.c_str(), O_RDONLY);
  void* const mapped = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd.number(), 0);
  REQUIRE(mapped != MAP_FAILED);
  CHECK(find()[0].in_use);
  CHECK(find()[0].Remove().outcome == LeftSession::Outcome::kInUse);
  munmap(mapped, 4096);
  CHECK_FALSE(find()[0].in_use);
  parent.Write("geckoprof-lib-a1B2c3/another", "");
  CHECK(find().empty());
  REQUIRE(unlink((parent.path() + "/geckoprof-lib-a1B2c3/another").c_str()) == 0);
  CHECK(find()[0].Remove().outcome == LeftSession::Outcome::kRemoved);
  CHECK_FALSE(std::filesystem::exists(file));
  CHECK(find().empty());
}

TEST_CASE("the page of a view that was killed was left behind") {
  const TemporaryFolder parent;
  const auto find = [&parent] { return FindLeftSessions({parent.path()}); };
  absl::StatusOr<PrivateFolder> view = PrivateFolder::Make(parent.path(), kPageFolderPrefix);
  REQUIRE(view.ok());
  const std::string name = std::filesystem::path(view->path).filename().string();
  CHECK(find().at(0).in_use);
  const std::string page = parent.Write(name + "/open.html", "contents");
  REQUIRE(find().size() == 1);
  CHECK(find()[0].in_use);
  CHECK(find()[0].Remove().outcome == LeftSession::Outcome::kInUse);
  view->lock.Close();
  CHECK_FALSE(find()[0].in_use);
  CHECK(find()[0].only_file == "open.html");
  const std::string other = parent.Write(name + "/7-0.segment", "");  // not of such a folder
  CHECK(find().empty());
  REQUIRE(unlink(other.c_str()) == 0);
  CHECK(find()[0].Remove().outcome == LeftSession::Outcome::kRemoved);
  CHECK_FALSE(std::filesystem::exists(page));
  CHECK(find().empty());
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
    CHECK(session.segments == std::vector<std::string>{session.file});
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

// What lies in each of these folders has names of a recording's; one entry is of another kind than a recording makes.
TEST_CASE("a folder with an entry that no recording makes is not a session, whatever its name") {
  const TemporaryFolder parent;
  for (const char* name : {"command", "filtered", "full", "note-8388608", "8388608-0.segment", "8388608-1.segment"}) {
    const std::string thesis = MakeFolder(parent, "geckoprof-master") + "/" + name;
    std::filesystem::create_directories(thesis + "/my-thesis");
    parent.Write("geckoprof-master/8388608-9.segment", "x");
    std::ofstream(thesis + "/my-thesis/a") << "a";
    CHECK(FindLeftSessions({parent.path()}).empty());
    std::filesystem::remove_all(parent.path() + "/geckoprof-master");
  }
  for (const char* name : {"command", "filtered", "full", "note-8388608", "8388608-0.segment", "8388608-1.segment"}) {
    REQUIRE(mkfifo((MakeFolder(parent, "geckoprof-master") + "/" + name).c_str(), 0600) == 0);
    CHECK(FindLeftSessions({parent.path()}).empty());
    std::filesystem::remove_all(parent.path() + "/geckoprof-master");
  }
  for (const char* name : {"command", "filtered", "full", "8388608-0.segment", "8388608-1.segment"}) {
    REQUIRE(symlink("/etc/passwd", (MakeFolder(parent, "geckoprof-master") + "/" + name).c_str()) == 0);
    CHECK(FindLeftSessions({parent.path()}).empty());
    std::filesystem::remove_all(parent.path() + "/geckoprof-master");
  }
  MakeFolder(parent, "geckoprof-master");
  parent.Write("geckoprof-master/note-8388608", "a note is a link");
  CHECK(FindLeftSessions({parent.path()}).empty());
}

TEST_CASE("of the folder of a user's programs only their files are taken") {
  const TemporaryFolder parent;
  const std::string folder = MakeFolder(parent, OfUser());
  std::filesystem::create_directories(folder + "/" + kGone + "-0.segment/my-thesis");
  REQUIRE(mkfifo((folder + "/" + kGone + "-1.segment").c_str(), 0600) == 0);
  parent.Write(OfUser() + "/command", "a recorder's");
  parent.Write(OfUser() + "/full", "a recorder's");
  CHECK(FindLeftSessions({parent.path()}).empty());
}

TEST_CASE("a folder that came into use since it was listed stays") {
  const TemporaryFolder parent;
  const std::string folder = MakeFolder(parent, "geckoprof-a1B2c3");
  const std::string file = parent.Write("geckoprof-a1B2c3/" + kGone + "-0.segment", "x");
  const std::vector<LeftSession> sessions = FindLeftSessions({parent.path()});
  REQUIRE(sessions.size() == 1);
  REQUIRE_FALSE(sessions[0].in_use);
  {
    const Fd recorder = Fd::Open(folder.c_str(), O_RDONLY | O_DIRECTORY);
    REQUIRE(flock(recorder.number(), LOCK_EX | LOCK_NB) == 0);
    CHECK(sessions[0].Remove().outcome == LeftSession::Outcome::kInUse);
    CHECK(std::filesystem::exists(file));
  }
  const std::string joined = parent.Write("geckoprof-a1B2c3/" + std::to_string(getpid()) + "-0.segment", "x");
  CHECK(sessions[0].Remove().outcome == LeftSession::Outcome::kInUse);
  CHECK(std::filesystem::exists(file));
  CHECK(std::filesystem::exists(joined));
}

TEST_CASE("a folder that became another one since it was listed stays") {
  const TemporaryFolder parent;
  const std::string folder = MakeFolder(parent, "geckoprof-a1B2c3");
  const std::string file = parent.Write("geckoprof-a1B2c3/" + kGone + "-0.segment", "x");
  const std::vector<LeftSession> sessions = FindLeftSessions({parent.path()});
  REQUIRE(sessions.size() == 1);
  const std::string letter = parent.Write("geckoprof-a1B2c3/letter.txt", "mine");
  CHECK(sessions[0].Remove().outcome == LeftSession::Outcome::kChanged);
  CHECK(std::filesystem::exists(file));
  REQUIRE(unlink(letter.c_str()) == 0);
  REQUIRE(chmod(folder.c_str(), 0770) == 0);  // open to others now
  CHECK(sessions[0].Remove().outcome == LeftSession::Outcome::kChanged);
  CHECK(std::filesystem::exists(file));
  REQUIRE(chmod(folder.c_str(), 0700) == 0);
  std::filesystem::rename(folder, parent.path() + "/elsewhere");
  REQUIRE(symlink("elsewhere", folder.c_str()) == 0);
  CHECK(sessions[0].Remove().outcome == LeftSession::Outcome::kChanged);
  CHECK(std::filesystem::is_symlink(folder));
  CHECK(std::filesystem::exists(parent.path() + "/elsewhere/" + kGone + "-0.segment"));
}

TEST_CASE("a file that became a folder since it was listed stays") {
  const TemporaryFolder parent;
  const std::string file = MakeFolder(parent, OfUser()) + "/" + kGone + "-0.segment";
  parent.Write(OfUser() + "/" + kGone + "-0.segment", "x");
  const std::vector<LeftSession> sessions = FindLeftSessions({parent.path()});
  REQUIRE(sessions.size() == 1);
  REQUIRE(unlink(file.c_str()) == 0);
  std::filesystem::create_directories(file + "/my-thesis");
  CHECK(sessions[0].Remove().outcome == LeftSession::Outcome::kChanged);
  CHECK(std::filesystem::exists(file + "/my-thesis"));
}

TEST_CASE("a note is removed, what it points to is not") {
  const TemporaryFolder parent;
  const std::string folder = MakeFolder(parent, "geckoprof-a1B2c3");
  const std::string letter = parent.Write("letter.txt", "mine");
  REQUIRE(symlink(letter.c_str(), (folder + "/note-" + kGone).c_str()) == 0);
  REQUIRE(FindLeftSessions({parent.path()}).size() == 1);
  CHECK(FindLeftSessions({parent.path()}).front().Remove().outcome == LeftSession::Outcome::kRemoved);
  CHECK_FALSE(std::filesystem::exists(folder));
  CHECK(std::filesystem::exists(letter));
}

}  // namespace
}  // namespace geckoprof
