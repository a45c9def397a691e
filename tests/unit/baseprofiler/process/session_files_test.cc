#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>

#include "geckoprof/segment/segment_format.h"
#include "process/empty_folders.h"
#include "process/session_place.h"

namespace geckoprof {
namespace {

std::string Name(const char* parent) { return std::string(parent) + "/geckoprof-" + std::to_string(geteuid()); }
unsigned ModeOf(const std::string& path) {
  struct stat info = {};
  return lstat(path.c_str(), &info) == 0 ? info.st_mode : 0;
}

// As the recorder makes it.
bool MakeNeverRead(const std::string& path) {
  const int file = open(path.c_str(), O_CREAT | O_WRONLY, 0600);
  const timespec times[] = {{0, 0}, {0, UTIME_OMIT}};
  const bool is_made = futimens(file, times) == 0;
  close(file);
  return is_made;
}

bool WasRead(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 && info.st_atim.tv_sec != 0;
}

bool FirstDirectory(std::span<char> path) {
  uint32_t next_parent = 0;
  bool is_taken = false;
  return UserSessionDirectory(path, next_parent, is_taken) && !is_taken;
}

TEST_CASE("the user's directory is made in /dev/shm, for the user alone, and found again") {
  CHECK_IN_EMPTY_FOLDERS([] {
    char path[256];
    umask(0);
    FORKED_REQUIRE(FirstDirectory(path));
    FORKED_REQUIRE(path == Name("/dev/shm"));
    FORKED_REQUIRE(ModeOf(path) == (S_IFDIR | 0700));
    FORKED_REQUIRE(FirstDirectory(path));
    FORKED_REQUIRE(path == Name("/dev/shm"));
    FORKED_REQUIRE(ModeOf(Name("/tmp")) == 0);
    return 0;
  });
}

TEST_CASE("where the first has no room there is a second, and no third") {
  CHECK_IN_EMPTY_FOLDERS([] {
    char path[256];
    uint32_t next_parent = 0;
    bool is_taken = false;
    FORKED_REQUIRE(UserSessionDirectory(path, next_parent, is_taken));
    FORKED_REQUIRE(path == Name("/dev/shm"));
    FORKED_REQUIRE(UserSessionDirectory(path, next_parent, is_taken));
    FORKED_REQUIRE(path == Name("/tmp"));
    FORKED_REQUIRE(!UserSessionDirectory(path, next_parent, is_taken));
    FORKED_REQUIRE(path[0] == '\0');
    return 0;
  });
}

// From now on, and for good.
bool RefuseToSayWhoTheUserIs() {
  sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_geteuid, 0, 1),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program = {4, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_CASE("where a filter does not say who the user is, nothing is made") {
  CHECK_IN_EMPTY_FOLDERS([] {
    FORKED_REQUIRE(RefuseToSayWhoTheUserIs());
    char path[256];
    FORKED_REQUIRE(!FirstDirectory(path) && path[0] == '\0');
    FORKED_REQUIRE(std::filesystem::is_empty("/dev/shm") && std::filesystem::is_empty("/tmp"));
    return 0;
  });
}

TEST_CASE("a process under a filter shows by reading what it may read") {
  CHECK_IN_EMPTY_FOLDERS([] {
    const std::string file = std::string("/tmp/") + kFilteredName;
    FORKED_REQUIRE(MakeNeverRead(file) && !WasRead(file));
    ShowFiltered("/tmp");
    FORKED_REQUIRE(WasRead(file));
    ShowFiltered("");
    ShowFiltered("/no/such/folder");
    FORKED_REQUIRE(!std::filesystem::exists("/no"));
    return 0;
  });
}

TEST_CASE("a symbolic link, even to a good directory, is refused") {
  CHECK_IN_EMPTY_FOLDERS([] {
    FORKED_REQUIRE(mkdir("/dev/shm/elsewhere", 0700) == 0);
    FORKED_REQUIRE(symlink("/dev/shm/elsewhere", Name("/dev/shm").c_str()) == 0);
    char path[256];
    FORKED_REQUIRE(FirstDirectory(path));
    FORKED_REQUIRE(path == Name("/tmp"));
    return 0;
  });
}

TEST_CASE("a directory that others can enter or write to is refused") {
  for (const mode_t mode : {0777u, 0755u, 0710u, 0702u}) {
    INFO(std::oct << mode);
    CHECK_IN_EMPTY_FOLDERS([mode] {
      umask(0);
      FORKED_REQUIRE(mkdir(Name("/dev/shm").c_str(), mode) == 0);
      char path[256];
      FORKED_REQUIRE(FirstDirectory(path));
      FORKED_REQUIRE(path == Name("/tmp"));
      return 0;
    });
  }
}

TEST_CASE("a file of the name is refused") {
  CHECK_IN_EMPTY_FOLDERS([] {
    for (const char* parent : {"/dev/shm", "/tmp"}) close(open(Name(parent).c_str(), O_CREAT | O_WRONLY, 0600));
    char path[256] = "left over";
    FORKED_REQUIRE(!FirstDirectory(path));
    FORKED_REQUIRE(path[0] == '\0');
    return 0;
  });
}

TEST_CASE("where another user has taken the name, a directory of another name serves") {
  for (const bool is_link : {false, true}) {
    CHECK_IN_EMPTY_FOLDERS([is_link] {
      const std::string name = Name("/dev/shm");
      FORKED_REQUIRE(mkdir("/dev/shm/theirs", 0777) == 0);
      FORKED_REQUIRE((is_link ? symlink("theirs", name.c_str()) : mkdir(name.c_str(), 0777)) == 0);
      FORKED_REQUIRE(lchown(name.c_str(), 12345, 12345) == 0);
      char path[256];
      uint32_t next_parent = 0;
      bool is_taken = false;
      FORKED_REQUIRE(UserSessionDirectory(path, next_parent, is_taken) && is_taken);
      FORKED_REQUIRE(std::string(path).starts_with(name + "-") && ModeOf(path) == (S_IFDIR | 0700));
      FORKED_REQUIRE(std::filesystem::is_empty("/dev/shm/theirs"));
      return 0;
    });
  }
}

TEST_CASE("the directory has its mode under any umask") {
  for (const mode_t mask : {0777u, 0277u, 0u}) {
    CHECK_IN_EMPTY_FOLDERS([mask] {
      umask(mask);
      char path[256];
      FORKED_REQUIRE(FirstDirectory(path));
      FORKED_REQUIRE(ModeOf(path) == (S_IFDIR | 0700));
      return 0;
    });
  }
}

TEST_CASE("a note says why, without needing space, and never follows what lies in its way") {
  CHECK_IN_EMPTY_FOLDERS([] {
    FORKED_REQUIRE(mkdir("/tmp/session", 0700) == 0);
    WriteStopNote("/tmp/session", ProcessId::FromNumber(42), "no-space");
    FORKED_REQUIRE(std::filesystem::read_symlink("/tmp/session/note-42") == "no-space");
    WriteStopNote("/tmp/session", ProcessId::FromNumber(42), "other");
    FORKED_REQUIRE(std::filesystem::read_symlink("/tmp/session/note-42") == "no-space");
    WriteStopNote("", ProcessId::FromNumber(42), "no-space");  // no directory: no note
    FORKED_REQUIRE(ModeOf("/note-42") == 0);
    return 0;
  });
}

TEST_CASE("what is removed is the segment, and the directory once it is empty") {
  CHECK_IN_EMPTY_FOLDERS([] {
    FORKED_REQUIRE(mkdir("/tmp/session", 0700) == 0);
    for (const char* file : {"/tmp/session/1-0.segment", "/tmp/session/2-0.segment"}) {
      close(open(file, O_CREAT | O_WRONLY, 0600));
    }
    RemoveSession("/tmp/session/1-0.segment", "/tmp/session");
    FORKED_REQUIRE(ModeOf("/tmp/session/1-0.segment") == 0);
    FORKED_REQUIRE(ModeOf("/tmp/session/2-0.segment") != 0);
    RemoveSession("", "/tmp/session");
    FORKED_REQUIRE(ModeOf("/tmp/session/2-0.segment") != 0);
    RemoveSession("/tmp/session/2-0.segment", "/tmp/session");
    FORKED_REQUIRE(ModeOf("/tmp/session") == 0);
    return 0;
  });
}

}  // namespace
}  // namespace geckoprof
