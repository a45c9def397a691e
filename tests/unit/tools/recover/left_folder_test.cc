#include "tools/recover/left_folder.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "geckoprof/base/clock.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_segment.h"
#include "tools/support/process_state.h"

namespace geckoprof {
namespace {

int64_t NowS() { return time(nullptr); }

TEST_CASE("a process that is gone does not live") {
  CHECK_FALSE(FileOwner{.pid = 1 << 23, .file_changed_s = NowS()}.Lives());
  CHECK_FALSE(FileOwner{.pid = 0, .file_changed_s = NowS()}.Lives());
}

TEST_CASE("the kernel's start of the process tells it from another one with its id") {
  const uint64_t ticks = ReadProcessState(getpid())->start_ticks;
  CHECK(FileOwner{.pid = getpid(), .start_ticks = ticks}.Lives());
  CHECK_FALSE(FileOwner{.pid = getpid(), .start_ticks = ticks - 1, .running_ns = MonotonicNs()}.Lives());
}

TEST_CASE("a process that began after the file's process ran is another one") {
  CHECK(FileOwner{.pid = getpid(), .running_ns = MonotonicNs()}.Lives());
  CHECK_FALSE(FileOwner{.pid = getpid(), .running_ns = 1}.Lives());  // when the machine had just started
  // From before the machine's last start, whose clock had gone further.
  CHECK_FALSE(FileOwner{.pid = getpid(), .running_ns = MonotonicNs() + 3600 * kNsPerSecond}.Lives());
}

TEST_CASE("where nothing else is known the file's time counts") {
  CHECK(FileOwner{.pid = getpid(), .file_changed_s = NowS()}.Lives());
  CHECK_FALSE(FileOwner{.pid = getpid(), .file_changed_s = NowS() - 365 * 24 * 3600}.Lives());
}

TEST_CASE("a segment says when its process began") {
  TestSegment test;
  test.segment().header().process_start_ticks = 77;
  test.segment().header().constructor_ns = 99;
  const FileOwner owner = FileOwner::OfSegment(getpid(), test.path(), 5);
  CHECK(owner.pid == getpid());
  CHECK(owner.start_ticks == 77);
  CHECK(owner.running_ns == 99);
  const FileOwner unreadable = FileOwner::OfSegment(getpid(), "/dev/null", 5);
  CHECK(unreadable.running_ns == 0);
  CHECK(unreadable.file_changed_s == 5);
}

constexpr char kName[] = "geckoprof-a1B2c3";

std::string Make(const TemporaryFolder& parent, mode_t mode = 0700) {
  const std::string path = parent.path() + "/" + kName;
  REQUIRE(mkdir(path.c_str(), 0700) == 0);
  REQUIRE(chmod(path.c_str(), mode) == 0);
  return path;
}

TEST_CASE("a folder that others may read, a link and a file are refused") {
  const TemporaryFolder parent;
  CHECK_FALSE(LeftFolder(parent.path(), kName).ok());
  CHECK_FALSE(LeftFolder("/no/such/parent", kName).ok());
  const std::string path = Make(parent, 0750);
  CHECK_FALSE(LeftFolder(parent.path(), kName).ok());
  REQUIRE(chmod(path.c_str(), 0700) == 0);
  CHECK(LeftFolder(parent.path(), kName).ok());
  REQUIRE(chmod(path.c_str(), 02700) == 0);  // below a set-group-id parent
  CHECK(LeftFolder(parent.path(), kName).ok());
  REQUIRE(symlink(kName, (parent.path() + "/geckoprof-a1B2c4").c_str()) == 0);
  CHECK_FALSE(LeftFolder(parent.path(), "geckoprof-a1B2c4").ok());
  parent.Write("geckoprof-a1B2c5", "a file");
  CHECK_FALSE(LeftFolder(parent.path(), "geckoprof-a1B2c5").ok());
  if (geteuid() == 0) {
    REQUIRE(chown(path.c_str(), 65534, 65534) == 0);
    CHECK_FALSE(LeftFolder(parent.path(), kName).ok());
  }
}

TEST_CASE("the entries of a recording are told by name and kind") {
  const TemporaryFolder parent;
  const std::string path = Make(parent);
  parent.Write(std::string(kName) + "/7-0.segment", std::string(5000, 'x'));
  parent.Write(std::string(kName) + "/7-1.segment", "");
  parent.Write(std::string(kName) + "/command", "a");
  parent.Write(std::string(kName) + "/full", "");
  REQUIRE(symlink("no-space", (path + "/note-8").c_str()) == 0);
  REQUIRE(symlink("1 a", (path + "/child-9-5000-6000-0-1-2-4096").c_str()) == 0);
  const LeftFolder folder(parent.path(), kName);
  std::vector<LeftFolder::Entry> entries;
  REQUIRE(folder.List(entries));
  REQUIRE(entries.size() == 6);
  CHECK((entries[2].name == "child-9-5000-6000-0-1-2-4096" && entries[2].pid == 9 && !entries[2].is_segment));
  entries.erase(entries.begin() + 2);
  CHECK((entries[0].name == "7-0.segment" && entries[0].pid == 7 && entries[0].is_segment));
  CHECK(entries[0].bytes >= 5000);
  CHECK((entries[1].name == "7-1.segment" && entries[1].pid == 7 && entries[1].is_segment));
  CHECK((entries[2].name == "command" && entries[2].pid == 0));
  CHECK((entries[4].name == "note-8" && entries[4].pid == 8 && !entries[4].is_segment));
  for (const char* other : {"note-", "note-8x", "note-0", "7-0.segment.old", "x-0.segment", "Full"}) {
    const std::string file = parent.Write(std::string(kName) + "/" + other, "");
    std::vector<LeftFolder::Entry> with_other;
    CHECK_FALSE(folder.List(with_other));
    CHECK(with_other.size() == 6);
    REQUIRE(unlink(file.c_str()) == 0);
  }
}

TEST_CASE("what is held is the folder, not its path") {
  const TemporaryFolder parent;
  const std::string path = Make(parent);
  parent.Write(std::string(kName) + "/7-0.segment", "x");
  const LeftFolder folder(parent.path(), kName);
  std::vector<LeftFolder::Entry> entries;
  REQUIRE(folder.List(entries));
  REQUIRE(entries.size() == 1);
  // Another takes its path.
  std::filesystem::rename(path, parent.path() + "/moved");
  Make(parent);
  const std::string other = parent.Write(std::string(kName) + "/7-0.segment", "another's");
  CHECK(folder.Holds(entries[0]));
  CHECK(folder.Remove(entries[0]) == 0);
  CHECK_FALSE(folder.Holds(entries[0]));
  CHECK(std::filesystem::is_empty(parent.path() + "/moved"));
  CHECK(std::filesystem::exists(other));
  REQUIRE(unlink(other.c_str()) == 0);
  CHECK(folder.RemoveFolder() == ENOENT);
  CHECK(std::filesystem::exists(path));
}

TEST_CASE("a name that another file took is not that of the entry, and a folder is never removed as one") {
  const TemporaryFolder parent;
  const std::string path = Make(parent);
  const std::string file = parent.Write(std::string(kName) + "/7-0.segment", "x");
  const LeftFolder folder(parent.path(), kName);
  std::vector<LeftFolder::Entry> entries;
  REQUIRE(folder.List(entries));
  const std::string next = parent.Write("next", "y");
  REQUIRE(rename(next.c_str(), file.c_str()) == 0);
  CHECK_FALSE(folder.Holds(entries.at(0)));
  CHECK(folder.RemoveFolder() == ENOTEMPTY);
  REQUIRE(unlink(file.c_str()) == 0);
  REQUIRE(mkdir(file.c_str(), 0700) == 0);
  CHECK(folder.Remove(entries.at(0)) != 0);
  CHECK(std::filesystem::exists(file));
  REQUIRE(rmdir(file.c_str()) == 0);
  CHECK(folder.RemoveFolder() == 0);
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a lock lasts as long as the object, whatever is listed meanwhile") {
  const TemporaryFolder parent;
  Make(parent);
  const LeftFolder other(parent.path(), kName);
  {
    const LeftFolder folder(parent.path(), kName);
    CHECK(folder.Lock(LOCK_EX) == 0);
    std::vector<LeftFolder::Entry> entries;
    CHECK(folder.List(entries));
    CHECK(other.Lock(LOCK_EX) == EWOULDBLOCK);
    CHECK(other.Lock(LOCK_SH) == EWOULDBLOCK);
  }
  CHECK(other.Lock(LOCK_SH) == 0);
}

TEST_CASE("files can be opened by the folder's own path") {
  const TemporaryFolder parent;
  Make(parent);
  parent.Write(std::string(kName) + "/command", "a");
  const LeftFolder folder(parent.path(), kName);
  CHECK(std::filesystem::exists(folder.path() + "/command"));
}

}  // namespace
}  // namespace geckoprof
