#include "tools/support/output_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace geckoprof {
namespace {

TEST_CASE("two names of one file") {
  char path[] = "/tmp/output_file_test.XXXXXX";
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

struct Folder {
  Folder() { REQUIRE(mkdtemp(path) != nullptr); }
  ~Folder() {
    unlink(File("a").c_str());
    rmdir(path);
  }
  std::string File(const std::string& name) const { return std::string(path) + "/" + name; }
  int Files() const {
    int count = -2;  // . and ..
    DIR* folder = opendir(path);
    while (readdir(folder) != nullptr) ++count;
    closedir(folder);
    return count;
  }
  char path[32] = "/tmp/output_file_test.XXXXXX";
};

TEST_CASE("the file appears when committed, and not before") {
  Folder folder;
  {
    auto file = OutputFile::Create(folder.File("a"));
    REQUIRE(file.ok());
    REQUIRE(file->Write("hello").ok());
    CHECK(access(folder.File("a").c_str(), F_OK) != 0);
    REQUIRE(file->Commit().ok());
  }
  std::string text;
  std::ifstream(folder.File("a")) >> text;
  CHECK(text == "hello");
  CHECK(folder.Files() == 1);
}

TEST_CASE("a process that is killed while it writes leaves nothing") {
  Folder folder;
  const pid_t child = fork();
  if (child == 0) {
    auto file = OutputFile::Create(folder.File("a"));
    if (!file.ok() || !file->Write("half").ok()) _exit(1);
    raise(SIGKILL);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(folder.Files() == 0);
}

TEST_CASE("a numbered file replaces nothing, and takes no name before it is complete") {
  Folder folder;
  const std::string path = folder.File("a.json.gz");
  std::vector<OutputFile> files;
  for (int i = 0; i < 3; ++i) {
    auto file = OutputFile::Create(path, OutputFile::Numbers::kIfTaken);
    REQUIRE(file.ok());
    REQUIRE(file->Write(std::to_string(i)).ok());
    files.push_back(*std::move(file));
  }
  CHECK(folder.Files() == 0);
  const std::vector<std::string> names = {path, folder.File("a-2.json.gz"), folder.File("a-3.json.gz")};
  for (size_t i = 0; i < names.size(); ++i) {
    REQUIRE(files[i].Commit().ok());
    CHECK(files[i].path() == names[i]);
    CHECK(folder.Files() == static_cast<int>(i) + 1);
  }
  for (size_t i = 0; i < names.size(); ++i) {
    std::string text;
    std::ifstream(names[i]) >> text;
    CHECK(text == std::to_string(i));
    unlink(names[i].c_str());
  }
  CHECK_FALSE(OutputFile::Create("/no/such/folder/a", OutputFile::Numbers::kIfTaken).ok());
}

TEST_CASE("one of several files always has a number, before the ending") {
  Folder folder;
  for (const std::string ending : {".json.gz", ".json", ".gz", ""}) {
    for (const std::string number : {"-1", "-2"}) {
      auto file = OutputFile::Create(folder.File("a" + ending), OutputFile::Numbers::kAlways);
      REQUIRE(file.ok());
      REQUIRE(file->Commit().ok());
      CHECK(file->path() == folder.File("a" + number + ending));
      INFO(file->path());
    }
    for (const std::string number : {"-1", "-2"}) CHECK(unlink(folder.File("a" + number + ending).c_str()) == 0);
  }
}

TEST_CASE("without commit nothing stays, and an older file is kept") {
  Folder folder;
  std::ofstream(folder.File("a")) << "old";
  {
    auto file = OutputFile::Create(folder.File("a"));
    REQUIRE(file.ok());
    REQUIRE(file->Write("new").ok());
  }
  std::string text;
  std::ifstream(folder.File("a")) >> text;
  CHECK(text == "old");
  CHECK(folder.Files() == 1);
}

TEST_CASE("what cannot get its name in the end leaves nothing beside it") {
  Folder folder;
  auto file = OutputFile::Create(folder.File("a"));
  REQUIRE(file.ok());
  REQUIRE(file->Write("new").ok());
  REQUIRE(mkdir(folder.File("a").c_str(), 0700) == 0);  // meanwhile
  CHECK_FALSE(file->Commit().ok());
  { const OutputFile ended = *std::move(file); }
  CHECK(folder.Files() == 1);
  rmdir(folder.File("a").c_str());
}

TEST_CASE("a link stays, and what it leads to is written") {
  Folder folder;
  const std::string link = folder.File("link");
  REQUIRE(symlink("a", link.c_str()) == 0);
  for (const std::string bytes : {"new", "newer"}) {
    auto file = OutputFile::Create(link);
    REQUIRE(file.ok());
    REQUIRE(file->Write(bytes).ok());
    REQUIRE(file->Commit().ok());
    std::string text;
    std::ifstream(folder.File("a")) >> text;
    CHECK(text == bytes);
    struct stat status;
    CHECK((lstat(link.c_str(), &status) == 0 && S_ISLNK(status.st_mode)));
  }
  unlink(link.c_str());
  CHECK(folder.Files() == 1);
}

TEST_CASE("a file known by its descriptor is written in place, from the first byte written on") {
  Folder folder;
  std::ofstream(folder.File("a")) << "something longer";
  const int fd = open(folder.File("a").c_str(), O_WRONLY | O_CLOEXEC);
  struct stat before, after;
  REQUIRE(fstat(fd, &before) == 0);
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  CHECK(OutputFile::CheckWritable(path).ok());
  REQUIRE((fstat(fd, &after) == 0 && after.st_size == before.st_size));
  {
    auto file = OutputFile::Create(path);
    REQUIRE(file.ok());
    REQUIRE(file->Write("new").ok());
    REQUIRE(file->Commit().ok());
  }
  REQUIRE(stat(folder.File("a").c_str(), &after) == 0);
  CHECK(after.st_ino == before.st_ino);
  CHECK(after.st_size == 3);
  close(fd);
}

TEST_CASE("a file keeps its mode, and a new one is its owner's") {
  Folder folder;
  struct stat status;
  const std::string path = folder.File("a");
  const auto write = [&path] {
    auto file = OutputFile::Create(path);
    return file.ok() && file->Commit().ok();
  };
  REQUIRE((write() && stat(path.c_str(), &status) == 0));
  CHECK((status.st_mode & 0777) == 0600);
  for (const mode_t mode : {0640, 0666, 0600}) {
    REQUIRE(chmod(path.c_str(), mode) == 0);
    REQUIRE((write() && stat(path.c_str(), &status) == 0));
    CHECK((status.st_mode & 0777) == mode);
  }
  if (geteuid() != 0) return;
  REQUIRE(chown(path.c_str(), 65534, 65533) == 0);
  REQUIRE((write() && stat(path.c_str(), &status) == 0));
  CHECK(status.st_uid == 65534);
  CHECK(status.st_gid == 65533);
}

TEST_CASE("places that cannot be written are found out early") {
  Folder folder;
  CHECK(OutputFile::CheckWritable(folder.File("a")).ok());
  CHECK(folder.Files() == 0);
  CHECK_FALSE(OutputFile::CheckWritable(folder.File("none/a")).ok());
  CHECK_FALSE(OutputFile::CheckWritable(folder.path).ok());
  CHECK_FALSE(OutputFile::CheckWritable("").ok());
  CHECK_FALSE(OutputFile::CheckWritable("/proc/x").ok());
  CHECK(OutputFile::CheckWritable("/dev/null").ok());
}

// chattr(1); false: not here, or not by whom this is run.
bool SetFlags(const std::string& path, int flags) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_set = fd >= 0 && ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
  if (fd >= 0) close(fd);
  return is_set;
}

TEST_CASE("a file that may only grow, and one in a folder where names stay, are found out early") {
  Folder folder;
  const std::string path = folder.File("a");
  std::ofstream(path) << "before";
  if (!SetFlags(path, FS_APPEND_FL)) return;
  const absl::Status append_only = OutputFile::CheckWritable(path);
  SetFlags(path, 0);
  CHECK(append_only.code() == absl::StatusCode::kPermissionDenied);
  REQUIRE(SetFlags(folder.path, FS_APPEND_FL));
  const absl::Status in_folder = OutputFile::CheckWritable(folder.File("new"));
  SetFlags(folder.path, 0);
  CHECK(in_folder.code() == absl::StatusCode::kPermissionDenied);
  CHECK(folder.Files() == 1);
  CHECK(OutputFile::CheckWritable(path).ok());
}

TEST_CASE("a name as long as a name may be is written") {
  Folder folder;
  for (const size_t bytes : {size_t{250}, size_t{255}}) {
    const std::string path = folder.File(std::string(bytes, 'x'));
    REQUIRE(OutputFile::CheckWritable(path).ok());
    auto file = OutputFile::Create(path);
    REQUIRE(file.ok());
    REQUIRE(file->Write("whole").ok());
    CHECK(file->Commit().ok());
    CHECK(access(path.c_str(), F_OK) == 0);
    CHECK(folder.Files() == 1);
    unlink(path.c_str());
  }
  CHECK_FALSE(OutputFile::CheckWritable(folder.File(std::string(256, 'x'))).ok());
}

TEST_CASE("a descriptor that is open already is written to, and stays open") {
  Folder folder;
  const std::string path = folder.File("a");
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(write(fd, "earlier text", 12) == 12);
  REQUIRE(lseek(fd, 0, SEEK_SET) == 0);
  {
    auto file = OutputFile::OfDescriptor(fd, "/dev/fd/3");
    REQUIRE(file.ok());
    CHECK(file->path() == "/dev/fd/3");
    REQUIRE(file->Write("new").ok());
    REQUIRE(file->Commit().ok());
  }
  struct stat info = {};
  REQUIRE(fstat(fd, &info) == 0);
  CHECK(info.st_size == 3);
  close(fd);
  CHECK_FALSE(OutputFile::OfDescriptor(fd, path).ok());
}

TEST_CASE("a reader that takes nothing ends the writing to an open pipe") {
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
  {
    auto file = OutputFile::OfDescriptor(ends[1], "/dev/fd/3");
    REQUIRE(file.ok());
    CHECK_FALSE(file->Write(std::string(1'000'000, 'x')).ok());
  }
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("files of the kernel's take no profile, whoever asks") {
  CHECK_FALSE(OutputFile::CheckWritable("/proc/version").ok());
  CHECK_FALSE(OutputFile::CheckWritable("/proc/self/comm").ok());
}

TEST_CASE("a full device is found out before anything is written") {
  CHECK_FALSE(OutputFile::CheckWritable("/dev/full").ok());
  const auto held = OutputFile::CheckAndHold("/dev/full");
  CHECK(std::string(held.status().message()).find("/dev/full") != std::string::npos);
}

TEST_CASE("a FIFO that nobody reads is an error, not a wait; one that is read waits for what is written") {
  Folder folder;
  const std::string fifo = folder.File("a");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(std::string(OutputFile::CheckAndHold(fifo).status().message()).find("nobody reads") != std::string::npos);
  CHECK_FALSE(OutputFile::Create(fifo).ok());
  const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(reader >= 0);
  char bytes[8];
  {
    const auto held = OutputFile::CheckAndHold(fifo);
    REQUIRE(held.ok());
    REQUIRE(OutputFile::CheckWritable(fifo).ok());
    CHECK(read(reader, bytes, sizeof(bytes)) == -1);  // not the end: 0
    auto file = OutputFile::Create(fifo);
    REQUIRE(file.ok());
    REQUIRE(file->Write("hello").ok());
    REQUIRE(file->Commit().ok());
    CHECK(read(reader, bytes, sizeof(bytes)) == 5);
    CHECK(read(reader, bytes, sizeof(bytes)) == -1);
  }
  CHECK(read(reader, bytes, sizeof(bytes)) == 0);
  close(reader);
}

}  // namespace
}  // namespace geckoprof
