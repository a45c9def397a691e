#include "geckoprof/base/output_target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "geckoprof/base/clock.h"

namespace geckoprof {
namespace {

constexpr int64_t kLongNs = 60 * kNsPerSecond;

class TargetFolder {
 public:
  TargetFolder() { REQUIRE(mkdtemp(path_) != nullptr); }
  ~TargetFolder() { std::filesystem::remove_all(path_); }
  std::string File(const std::string& name) const { return std::string(path_) + "/" + name; }
  long Count() const {
    return std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator());
  }

 private:
  char path_[40] = "/tmp/output_target_test.XXXXXX";
};

std::string Contents(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

int WriteTo(const std::string& path, std::string_view text, int64_t patience_ns = kLongNs) {
  OutputTarget target(patience_ns);
  if (const int error = target.Open(path.c_str()); error != 0) return error;
  if (const int error = target.Write(text.data(), text.size()); error != 0) return error;
  return target.Commit();
}

mode_t ModeOf(const std::string& path) {
  struct stat info = {};
  REQUIRE(stat(path.c_str(), &info) == 0);
  return info.st_mode & 0777;
}

TEST_CASE("a file appears when it is complete, and not without that") {
  const TargetFolder folder;
  errno = 77;
  {
    OutputTarget target(kLongNs);
    REQUIRE(target.Open(folder.File("a").c_str()) == 0);
    REQUIRE(target.Write("part", 4) == 0);
    CHECK_FALSE(std::filesystem::exists(folder.File("a")));
  }
  CHECK(folder.Count() == 0);
  REQUIRE(WriteTo(folder.File("a"), "whole") == 0);
  CHECK(Contents(folder.File("a")) == "whole");
  CHECK(ModeOf(folder.File("a")) == 0600);
  CHECK(folder.Count() == 1);
}

TEST_CASE("errno is not touched") {
  const TargetFolder folder;
  errno = 77;
  const int error = WriteTo(folder.File("a"), "whole");
  const int after = errno;
  CHECK(error == 0);
  CHECK(after == 77);
}

TEST_CASE("a file keeps its mode, a link stays one, also one to what is not there yet") {
  const TargetFolder folder;
  REQUIRE(symlink("b", folder.File("a").c_str()) == 0);
  REQUIRE(WriteTo(folder.File("a"), "first") == 0);
  for (const mode_t mode : {0600u, 0640u, 0400u}) {
    if (mode == 0400 && geteuid() != 0) continue;  // may not be written then
    REQUIRE(chmod(folder.File("b").c_str(), mode) == 0);
    REQUIRE(WriteTo(folder.File("a"), "second") == 0);
    CHECK(ModeOf(folder.File("b")) == mode);
  }
  CHECK(std::filesystem::is_symlink(folder.File("a")));
  CHECK(Contents(folder.File("b")) == "second");
  CHECK(folder.Count() == 2);
}

TEST_CASE("a file that a link of /proc leads to is written in place, once there is something to write") {
  const TargetFolder folder;
  const std::string file = folder.File("a"), link = folder.File("stdout");
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE((fd >= 0 && write(fd, "much that was there", 19) == 19));
  REQUIRE(symlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), link.c_str()) == 0);
  struct stat before = {}, after = {};
  REQUIRE(fstat(fd, &before) == 0);
  {
    OutputTarget target(kLongNs);
    REQUIRE(target.Open(link.c_str()) == 0);
  }
  CHECK(Contents(file) == "much that was there");
  REQUIRE(WriteTo(link, "new") == 0);
  REQUIRE(stat(file.c_str(), &after) == 0);
  CHECK(after.st_ino == before.st_ino);
  CHECK(Contents(file) == "new");
  CHECK(std::filesystem::is_symlink(link));
  CHECK(folder.Count() == 2);
  close(fd);
}

TEST_CASE("the name of a temporary file cannot be guessed") {
  const FilePlace::TemporaryName first, second;
  CHECK(std::string_view(first.text).starts_with(".geckoprof-"));
  CHECK(std::string_view(first.text).ends_with(".tmp"));
  CHECK(std::string_view(first.text) != second.text);
}

TEST_CASE("where nothing can be written, it says why") {
  const TargetFolder folder;
  CHECK(WriteTo("/nowhere/at/all", "x") == ENOENT);
  CHECK(WriteTo("/tmp", "x") == EISDIR);
  CHECK(WriteTo(folder.File(std::string(300, 'a')), "x") == ENAMETOOLONG);
  REQUIRE(symlink("/dev/full", folder.File("full").c_str()) == 0);
  CHECK(WriteTo(folder.File("full"), "x") == ENOSPC);
  CHECK(std::filesystem::is_symlink(folder.File("full")));
  REQUIRE(symlink("/proc/self/comm", folder.File("comm").c_str()) == 0);
  CHECK(WriteTo(folder.File("comm"), "x") == EINVAL);
  CHECK(WriteTo(folder.File(std::string(250, 'b')), "as long as a name may be") == 0);
}

TEST_CASE("a limit of sizes ends the writing, not the process") {
  const TargetFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit = {4, 4};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(WriteTo(folder.File("a"), "12345") == EFBIG && WriteTo(folder.File("a"), "1234") == 0 ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(Contents(folder.File("a")) == "1234");
  CHECK(folder.Count() == 1);
}

TEST_CASE("a pipe's reader gets all of it, however slow") {
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  const std::string text(300'000, 'x');
  std::string got;
  std::thread reader([&] {
    char bytes[1000];
    for (ssize_t some; (some = read(ends[0], bytes, sizeof(bytes))) > 0;) got.append(bytes, static_cast<size_t>(some));
  });
  const int error = WriteTo("/proc/self/fd/" + std::to_string(ends[1]), text);
  close(ends[1]);
  reader.join();
  close(ends[0]);
  CHECK(error == 0);
  CHECK(got == text);
}

TEST_CASE("neither a FIFO that nobody reads nor a reader that takes nothing is waited for for ever") {
  const TargetFolder folder;
  const std::string fifo = folder.File("fifo");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(WriteTo(fifo, "x") == ENXIO);
  const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(reader >= 0);
  CHECK(WriteTo(fifo, "x") == 0);
  CHECK(WriteTo(fifo, std::string(2'000'000, 'x'), kNsPerMs) == EAGAIN);
  close(reader);
  CHECK(std::filesystem::is_fifo(fifo));
  CHECK(folder.Count() == 1);
}

TEST_CASE("a reader that has gone sends no signal") {
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  OutputTarget target(kLongNs);
  REQUIRE(target.Open(("/proc/self/fd/" + std::to_string(ends[1])).c_str()) == 0);
  close(ends[0]);
  CHECK(target.Write("x", 1) == EPIPE);  // the signal would have ended the test
  CHECK(target.Write("x", 1) == EPIPE);
  CHECK(target.Commit() == EPIPE);
  close(ends[1]);
}

}  // namespace
}  // namespace geckoprof
