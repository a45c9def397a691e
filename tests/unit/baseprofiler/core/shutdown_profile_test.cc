#include "core/shutdown_profile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "geckoprof/entries/metadata_writer.h"
#include "process/process_control.h"
#include "tests/support/forked_check.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

// A segment that says which process it is about, and a folder beside it for profiles.
class Recorded {
 public:
  Recorded() {
    MetadataWriter metadata(&test_.segment());
    const char* const environment[] = {"GECKOPROF_STARTUP=1", "GECKOPROF_STARTUP_FILTERS=Renderer", nullptr};
    StartParameters parameters;
    ParseStartParameters(environment, parameters);
    DescribeProcess(parameters, metadata);
    folder_ = test_.directory() + "/out";
    std::filesystem::create_directory(folder_);
  }

  Segment& segment() { return test_.segment(); }
  std::string path() const { return folder_ + "/profile.json"; }
  size_t FilesInFolder() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }
  // How long the JSON is.
  size_t SizeOfJson() {
    const std::string path = folder_ + "/size.json";
    REQUIRE(WriteShutdownProfile(segment(), path.c_str()));
    const auto size_bytes = static_cast<size_t>(std::filesystem::file_size(path));
    std::filesystem::remove(path);
    return size_bytes;
  }

 private:
  TestSegment test_;
  std::string folder_;
};

std::string Contents(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// One object from the first byte to the last, with what every Gecko profile has.
bool IsWholeProfile(const std::string& text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (in_string) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        in_string = false;
      continue;
    }
    if (text[i] == '"') in_string = true;
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0 && text.find_first_not_of(" \n", i + 1) != std::string::npos) return false;
  }
  return depth == 0 && !text.empty() && text[0] == '{' && text.find("\"meta\":") != std::string::npos &&
         text.find("\"threads\":") != std::string::npos && text.find("Renderer") != std::string::npos;
}

bool IsPending(int signal) {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, signal) == 1;
}

TEST_CASE("the profile is written whole, and nothing beside it") {
  Recorded recorded;
  REQUIRE(WriteShutdownProfile(recorded.segment(), recorded.path().c_str()));
  CHECK(IsWholeProfile(Contents(recorded.path())));
  CHECK(recorded.FilesInFolder() == 1);
}

TEST_CASE("an earlier profile is replaced as a whole, also by a shorter one") {
  Recorded recorded;
  std::ofstream(recorded.path()) << std::string(1'000'000, 'x');
  struct stat before = {};
  REQUIRE(stat(recorded.path().c_str(), &before) == 0);
  REQUIRE(WriteShutdownProfile(recorded.segment(), recorded.path().c_str()));
  CHECK(IsWholeProfile(Contents(recorded.path())));
  struct stat after = {};
  REQUIRE(stat(recorded.path().c_str(), &after) == 0);
  CHECK(after.st_ino != before.st_ino);  // a reader that had it open goes on reading the old one
  CHECK(recorded.FilesInFolder() == 1);
}

TEST_CASE("a link stays one, and a file keeps its mode") {
  Recorded recorded;
  const std::string file = recorded.path() + ".kept";
  std::ofstream(file) << "earlier";
  REQUIRE(chmod(file.c_str(), 0640) == 0);
  std::filesystem::create_symlink("profile.json.kept", recorded.path());
  REQUIRE(WriteShutdownProfile(recorded.segment(), recorded.path().c_str()));
  CHECK(std::filesystem::is_symlink(recorded.path()));
  CHECK(IsWholeProfile(Contents(file)));
  struct stat after = {};
  REQUIRE(stat(file.c_str(), &after) == 0);
  CHECK((after.st_mode & 0777) == 0640);
  CHECK(recorded.FilesInFolder() == 2);
}

TEST_CASE("it is written on another thread's stack too") {
  Recorded recorded;
  RawThread thread;
  REQUIRE(WriteShutdownProfileOn(thread, recorded.segment(), recorded.path().c_str()));
  CHECK_FALSE(thread.IsRunning());
  CHECK(IsWholeProfile(Contents(recorded.path())));
  CHECK_FALSE(WriteShutdownProfileOn(thread, recorded.segment(), "/no/such/folder/profile.json"));
}

TEST_CASE("what cannot be written leaves nothing behind and the earlier file alone") {
  Recorded recorded;
  std::ofstream(recorded.path()) << "earlier";
  SECTION("no recording any more") {
    recorded.segment().Retire();
    CHECK_FALSE(WriteShutdownProfile(recorded.segment(), recorded.path().c_str()));
  }
  SECTION("a limit for files, whose signal would end the program") {
    CHECK(StatusInChild([&] {
            const rlimit limit = {100, 100};
            setrlimit(RLIMIT_FSIZE, &limit);
            FORKED_REQUIRE(!WriteShutdownProfile(recorded.segment(), recorded.path().c_str()));
            return 0;
          }) == 0);
  }
  CHECK(Contents(recorded.path()) == "earlier");
  CHECK(recorded.FilesInFolder() == 1);
}

TEST_CASE("a limit for files that is just large enough is used up") {
  Recorded recorded;
  // The time of writing is part of the profile, so its length may differ by a digit or two.
  const size_t size_bytes = recorded.SizeOfJson();
  CHECK(StatusInChild([&] {
          const rlimit limit = {size_bytes + 16, size_bytes + 16};
          setrlimit(RLIMIT_FSIZE, &limit);
          FORKED_REQUIRE(WriteShutdownProfile(recorded.segment(), recorded.path().c_str()));
          return 0;
        }) == 0);
  CHECK(IsWholeProfile(Contents(recorded.path())));
}

TEST_CASE("places where no file can be") {
  Recorded recorded;
  CHECK_FALSE(WriteShutdownProfile(recorded.segment(), "/no/such/folder/profile.json"));
  CHECK_FALSE(WriteShutdownProfile(recorded.segment(), "/"));
  // Through a link: where this fails it is the link, and not the machine's device, that gives way to a file.
  std::filesystem::create_symlink("/dev/full", recorded.path());
  CHECK_FALSE(WriteShutdownProfile(recorded.segment(), recorded.path().c_str()));
  CHECK(std::filesystem::is_symlink(recorded.path()));
  CHECK_FALSE(WriteShutdownProfile(recorded.segment(), ("/tmp/" + std::string(4300, 'a')).c_str()));
}

TEST_CASE("a pipe is written to and stays one") {
  Recorded recorded;
  REQUIRE(mkfifo(recorded.path().c_str(), 0600) == 0);
  SECTION("its reader gets all of it") {
    const int fd = open(recorded.path().c_str(), O_RDONLY | O_NONBLOCK);
    REQUIRE(fd >= 0);
    fcntl(fd, F_SETPIPE_SZ, 4096);
    std::string text;
    std::thread reading([&] {
      char bytes[512];
      fcntl(fd, F_SETFL, 0);
      ssize_t got = 0;
      do {
        got = read(fd, bytes, sizeof(bytes));
        if (got > 0) text.append(bytes, static_cast<size_t>(got));
      } while (got > 0 || text.empty());
    });
    const bool written = WriteShutdownProfile(recorded.segment(), recorded.path().c_str());
    reading.join();
    CHECK(written);
    CHECK(IsWholeProfile(text));
    close(fd);
  }
  SECTION("nobody waits for a reader") {
    CHECK_FALSE(WriteShutdownProfile(recorded.segment(), recorded.path().c_str()));
  }
  CHECK(std::filesystem::is_fifo(recorded.path()));
  CHECK(recorded.FilesInFolder() == 1);
}

TEST_CASE("a pipe whose reader is gone leaves no signal of its own, and one of the program's where it was") {
  Recorded recorded;
  for (const bool was_pending : {false, true}) {
    INFO(was_pending);
    CHECK(StatusInChild([&] {
            sigset_t only_pipe;
            sigemptyset(&only_pipe);
            sigaddset(&only_pipe, SIGPIPE);
            sigprocmask(SIG_BLOCK, &only_pipe, nullptr);
            if (was_pending) raise(SIGPIPE);
            int ends[2];
            FORKED_REQUIRE(pipe(ends) == 0);
            const std::string path = "/proc/self/fd/" + std::to_string(ends[1]);
            const int other = open(path.c_str(), O_WRONLY);  // a writer must be there for the name to be one
            close(ends[0]);
            FORKED_REQUIRE(other >= 0);
            FORKED_REQUIRE(!WriteShutdownProfile(recorded.segment(), path.c_str()));
            FORKED_REQUIRE(IsPending(SIGPIPE) == was_pending);
            sigprocmask(SIG_UNBLOCK, &only_pipe, nullptr);
            return was_pending ? 1 : 0;  // the program's own ends it
          }) == (was_pending ? 128 + SIGPIPE : 0));
  }
}

}  // namespace
}  // namespace geckoprof
