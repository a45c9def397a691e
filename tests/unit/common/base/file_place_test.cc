#include "geckoprof/base/file_place.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

namespace geckoprof {
namespace {

class FilePlaceFolder {
 public:
  FilePlaceFolder() { REQUIRE(mkdtemp(path_) != nullptr); }
  ~FilePlaceFolder() { std::filesystem::remove_all(path_); }
  std::string File(const std::string& name) const { return std::string(path_) + "/" + name; }
  void Link(const std::string& text, const std::string& name) const {
    REQUIRE(symlink(text.c_str(), File(name).c_str()) == 0);
  }

 private:
  char path_[32] = "/tmp/file_place_test.XXXXXX";
};

using Way = FilePlace::Way;

// What Find came to, with room for its value.
struct Found {
  explicit Found(const std::string& path) : error(place.Find(path.c_str())) {}
  bool ok() const { return error == 0; }
  const FilePlace* operator->() const { return &place; }

  FilePlace place;
  int error;
};

TEST_CASE("links lead to the file that is replaced, whether it exists or not") {
  const FilePlaceFolder folder;
  REQUIRE(std::filesystem::create_directory(folder.File("below")));
  folder.Link("below/relative", "first");
  folder.Link(folder.File("a"), "below/relative");
  for (const bool exists : {false, true}) {
    if (exists) std::ofstream(folder.File("a")) << "old";
    const Found place(folder.File("first"));
    REQUIRE(place.ok());
    CHECK(place->way == Way::kReplace);
    CHECK(std::string(place->file) == folder.File("a"));
    CHECK(place->exists == exists);
  }
  CHECK(std::string(Found(folder.File("a"))->file) == folder.File("a"));
}

// Root replaces whatever it likes; somebody else may only write into it.
TEST_CASE("another user's file in everybody's folder is written in place") {
  if (geteuid() != 0) return;
  const FilePlaceFolder folder;
  const std::string shared = folder.File("shared"), path = shared + "/a";
  REQUIRE(std::filesystem::create_directory(shared));
  REQUIRE((chmod(folder.File("").c_str(), 0755) == 0 && chmod(shared.c_str(), 01777) == 0));
  std::ofstream(path) << "old";
  REQUIRE(chmod(path.c_str(), 0666) == 0);
  CHECK(Found(path)->way == Way::kReplace);
  const pid_t child = fork();
  if (child == 0) {
    const bool is_other = setgroups(0, nullptr) == 0 && setgid(65534) == 0 && setuid(65534) == 0;
    const Found place(path);
    _exit(is_other && place.ok() && place->way == Way::kInPlace ? 0 : 1);
  }
  int status = 1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("a file that something is mounted on is written in place") {
  const FilePlaceFolder folder;
  const std::string path = folder.File("a");
  std::ofstream(path) << "old";
  std::ofstream(folder.File("b")) << "mounted";
  const pid_t child = fork();
  if (child == 0) {
    const bool is_mounted = unshare(CLONE_NEWNS) == 0 &&
                            mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                            mount(folder.File("b").c_str(), path.c_str(), nullptr, MS_BIND, nullptr) == 0;
    if (!is_mounted) _exit(77);  // not allowed here
    const Found place(path);
    _exit(place.ok() && place->way == Way::kInPlace ? 0 : 1);
  }
  int status = 1;
  REQUIRE(waitpid(child, &status, 0) == child);
  const bool is_fine = status == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 77);
  CHECK(is_fine);
}

TEST_CASE("a link to what is no file, and one of /proc to a file, are not replaced") {
  const FilePlaceFolder folder;
  folder.Link("/dev/null", "null");
  CHECK(Found(folder.File("null"))->way == Way::kStream);
  CHECK(Found("/dev/null")->way == Way::kStream);

  const int fd = open(folder.File("a").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(fd >= 0);
  const std::string number = std::to_string(fd);
  folder.Link("/proc/self/fd/" + number, "descriptor");
  CHECK(Found("/proc/self/fd/" + number)->way == Way::kInPlace);
  CHECK(Found(folder.File("descriptor"))->way == Way::kInPlace);
  if (access("/dev/fd", F_OK) == 0) CHECK(Found("/dev/fd/" + number)->way == Way::kInPlace);
  unlink(folder.File("a").c_str());
  CHECK(Found("/proc/self/fd/" + number)->way == Way::kInPlace);
  close(fd);
  CHECK(Found("/proc/self/fd/" + number).error == ENOENT);
  CHECK(Found(folder.File("descriptor")).error == ENOENT);
}

TEST_CASE("a file that is only reached by a folder of /proc is a file like others") {
  const FilePlaceFolder folder;
  std::ofstream(folder.File("a")) << "old";
  CHECK(Found("/proc/self/root" + folder.File("a"))->way == Way::kReplace);
}

TEST_CASE("links in a circle lead nowhere") {
  const FilePlaceFolder folder;
  folder.Link("b", "a");
  folder.Link("a", "b");
  CHECK_FALSE(Found(folder.File("a")).ok());
}

TEST_CASE("another user's link in a folder that is everybody's is not followed") {
  if (geteuid() != 0) return;  // nobody else can make another user's link
  const FilePlaceFolder folder;
  const std::string open_folder = folder.File("open");
  REQUIRE(std::filesystem::create_directory(open_folder));
  REQUIRE(chmod(open_folder.c_str(), 01777) == 0);
  folder.Link("../a", "open/link");
  CHECK(Found(folder.File("open/link")).ok());
  REQUIRE(lchown(folder.File("open/link").c_str(), 65534, 65534) == 0);
  CHECK_FALSE(Found(folder.File("open/link")).ok());
  REQUIRE(chmod(open_folder.c_str(), 0755) == 0);
  CHECK(Found(folder.File("open/link")).ok());
}

TEST_CASE("another user's link in such a folder is not followed to a folder, either") {
  if (geteuid() != 0) return;
  const FilePlaceFolder folder;
  const std::string open_folder = folder.File("open"), path = folder.File("open/link/below/a");
  REQUIRE(std::filesystem::create_directories(folder.File("kept/below")));
  REQUIRE(std::filesystem::create_directory(open_folder));
  REQUIRE(chmod(open_folder.c_str(), 01777) == 0);
  folder.Link("../kept", "open/link");
  folder.Link(path, "own");
  CHECK(Found(path).ok());
  REQUIRE(lchown(folder.File("open/link").c_str(), 65534, 65534) == 0);
  CHECK(Found(path).error == EACCES);
  CHECK(Found(folder.File("own")).error == EACCES);
  // The link is behind a link of our own to a folder.
  folder.Link("open/link", "own_folder");
  CHECK(Found(folder.File("own_folder/below/a")).error == EACCES);
  REQUIRE(chmod(open_folder.c_str(), 0755) == 0);
  CHECK(Found(path).ok());
}

TEST_CASE("another user's file and FIFO in a sticky folder that others may write to are refused") {
  if (geteuid() != 0) return;  // nobody else can make another user's file
  const FilePlaceFolder folder;
  const std::string shared = folder.File("shared"), file = shared + "/file", fifo = shared + "/fifo";
  REQUIRE(std::filesystem::create_directory(shared));
  std::ofstream(file) << "old";
  REQUIRE(mkfifo(fifo.c_str(), 0666) == 0);
  folder.Link(fifo, "link");
  for (const std::string& path : {file, fifo}) REQUIRE(chown(path.c_str(), 65534, 65534) == 0);
  for (const mode_t mode : {01777, 01770}) {
    REQUIRE(chmod(shared.c_str(), mode) == 0);
    CHECK(Found(file).error == EACCES);
    CHECK(Found(fifo).error == EACCES);
    CHECK(Found(folder.File("link")).error == EACCES);
  }
  for (const mode_t mode : {01755, 0777}) {
    REQUIRE(chmod(shared.c_str(), mode) == 0);
    CHECK(Found(file)->way == Way::kReplace);
    CHECK(Found(fifo)->way == Way::kStream);
  }
  REQUIRE((chmod(shared.c_str(), 01777) == 0 && chown(shared.c_str(), 65534, 65534) == 0));
  CHECK(Found(file).ok());  // the file of the folder's owner
}

TEST_CASE("a file that took the place of the one that was found is not opened") {
  const FilePlaceFolder folder;
  const std::string path = folder.File("a"), other = folder.File("b");
  const auto replace = [&] { REQUIRE(rename(other.c_str(), path.c_str()) == 0); };
  SECTION("the file itself is") {
    std::ofstream(path) << "old";
    CHECK(Found(path).place.Open(O_WRONLY).ok());
    folder.Link(path, "b");
    CHECK(Found(other).place.Open(O_WRONLY).ok());
  }
  SECTION("a link") {
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    Found found(path);
    folder.Link("precious", "b");
    std::ofstream(folder.File("precious")) << "kept";
    replace();
    CHECK(found.place.Open(O_WRONLY | O_NONBLOCK).error() == ELOOP);
  }
  SECTION("another file") {
    std::ofstream(path) << "old";
    Found found(path);
    std::ofstream(other) << "kept";
    replace();
    CHECK(found.place.Open(O_WRONLY).error() == EACCES);
  }
}

TEST_CASE("no group gets the rights that another one had") {
  const FilePlaceFolder folder;
  struct stat given = {};
  const int fd = open(folder.File("a").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE((fd >= 0 && fstat(fd, &given) == 0));
  given.st_mode = S_IFREG | 0664;
  FilePlace::CopyPermissions(given, fd);
  struct stat status = {};
  REQUIRE(fstat(fd, &status) == 0);
  CHECK((status.st_mode & 07777) == 0664);
  constexpr uid_t kNobody = 65534;
  const bool is_root = geteuid() == 0;
  if (is_root) REQUIRE(fchown(fd, kNobody, kNobody) == 0);
  given.st_gid = is_root ? 0 : kNobody - 1;  // not one of those that the child is in
  const pid_t child = fork();
  if (child == 0) {
    const bool has_left = !is_root || (setgroups(0, nullptr) == 0 && setgid(kNobody) == 0 && setuid(kNobody) == 0);
    FilePlace::CopyPermissions(given, fd);
    _exit(has_left ? 0 : 1);
  }
  int end = -1;
  REQUIRE((waitpid(child, &end, 0) == child && end == 0));
  REQUIRE(fstat(fd, &status) == 0);
  CHECK((status.st_mode & 07777) == 0604);
  close(fd);
}

TEST_CASE("the folder of a path is held, and must exist") {
  FilePlace place;
  CHECK(place.Find("/nowhere/at/all") == ENOENT);
  CHECK(place.Find("") == ENOENT);
  CHECK(place.Find("/") == EISDIR);
  CHECK(place.Find("/tmp/") == EISDIR);
  const FilePlaceFolder folder;
  std::ofstream(folder.File("file")) << "old";
  CHECK(place.Find(folder.File("file/").c_str()) == ENOTDIR);
  CHECK(place.Find(folder.File("file/a").c_str()) == ENOTDIR);
  REQUIRE(place.Find("not-there") == 0);
  CHECK(std::string(place.name()) == "not-there");
  REQUIRE(place.Find("//not-there") == 0);
  CHECK(std::string(place.file) == "/not-there");
  REQUIRE(mkdir(folder.File("inner").c_str(), 0700) == 0);
  REQUIRE(place.Find(folder.File("inner//./../inner/a").c_str()) == 0);
  CHECK(std::string(place.name()) == "a");

  // An exchange of the folder comes too late.
  REQUIRE(rename(folder.File("inner").c_str(), folder.File("moved").c_str()) == 0);
  std::ofstream(folder.File("moved/a")) << "ours";
  REQUIRE(mkdir(folder.File("inner").c_str(), 0700) == 0);
  struct stat status = {};
  CHECK(fstatat(place.folder.number(), place.name(), &status, 0) == 0);
}

TEST_CASE("names that are too long are refused, also where a link makes them so") {
  const FilePlaceFolder folder;
  FilePlace place;
  CHECK(place.Find(("/tmp/" + std::string(4300, 'a')).c_str()) == ENAMETOOLONG);
  std::string deep = folder.File("d");
  std::string text = "e";
  while (text.size() < 4000) text = "./" + text;
  while (deep.size() < 3000) {
    REQUIRE(mkdir(deep.c_str(), 0700) == 0);
    deep += "/" + std::string(200, 'd');
  }
  REQUIRE(mkdir(deep.c_str(), 0700) == 0);
  REQUIRE(symlink(text.c_str(), (deep + "/l").c_str()) == 0);
  CHECK(place.Find((deep + "/l").c_str()) == ENAMETOOLONG);
}

}  // namespace
}  // namespace geckoprof
