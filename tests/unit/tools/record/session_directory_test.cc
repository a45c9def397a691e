#include "tools/record/session_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <utility>

#include "tests/support/temporary_folder.h"
#include "tools/record/session_contents.h"

namespace geckoprof {
namespace {

TEST_CASE("a session directory is private, new, and gone afterwards") {
  const TemporaryFolder parent;
  std::string path;
  {
    absl::StatusOr<SessionDirectory> session =
        SessionDirectory::CreateBelow({"", "/no/such/folder", parent.path()}, 1 << 20);
    REQUIRE(session.ok());
    path = session->path();
    CHECK(path.starts_with(parent.path() + "/geckoprof-"));
    struct stat status;
    REQUIRE(stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0700);
    CHECK(session->free_bytes() > 0);
    CHECK(SessionDirectory::CreateBelow({parent.path()}, 1 << 20)->path() != path);
    std::filesystem::create_directory(path + "/inner");
    const SessionDirectory moved = std::move(*session);
    CHECK(std::filesystem::exists(path));
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("the command line is written down") {
  const TemporaryFolder parent;
  const absl::StatusOr<SessionDirectory> session = SessionDirectory::CreateBelow({parent.path()}, 1 << 20);
  REQUIRE(session.ok());
  std::string words[] = {"prog", "", "-x y"};
  char* const arguments[] = {words[0].data(), words[1].data(), words[2].data()};
  session->NoteCommand(arguments);
  CHECK(ReadSessionCommand(session->path()) == std::vector<std::string>{"prog", "", "-x y"});
}

TEST_CASE("a process that a filter keeps from being recorded is a reason, once it has shown") {
  const TemporaryFolder parent;
  const absl::StatusOr<SessionDirectory> session = SessionDirectory::CreateBelow({parent.path()}, 1 << 20);
  REQUIRE(session.ok());
  const auto reasons = [&] {
    SessionContents contents;
    contents.ReadDirectory(session->path());
    return contents.reasons.size();
  };
  CHECK(reasons() == 0);
  const int file = open((session->path() + "/filtered").c_str(), O_RDONLY | O_CLOEXEC);
  char nothing = 0;
  CHECK(read(file, &nothing, 1) == 0);
  close(file);
  CHECK(reasons() == 1);
  CHECK(reasons() == 1);
}

TEST_CASE("what is kept stays") {
  const TemporaryFolder parent;
  {
    absl::StatusOr<SessionDirectory> session = SessionDirectory::CreateBelow({parent.path()}, 1 << 20);
    REQUIRE(session.ok());
    session->Keep();
  }
  CHECK_FALSE(std::filesystem::is_empty(parent.path()));
}

TEST_CASE("the first parent with enough room is taken, else the roomiest") {
  const TemporaryFolder first;
  const TemporaryFolder second;
  CHECK(SessionDirectory::CreateBelow({first.path(), second.path()}, 1 << 20)->path().starts_with(first.path()));
  // Both too small for this: the order decides between equals.
  CHECK(SessionDirectory::CreateBelow({second.path(), first.path()}, UINT64_MAX)->path().starts_with(second.path()));
  // /proc has no room at all.
  CHECK(SessionDirectory::CreateBelow({"/proc", first.path()}, 1 << 20)->path().starts_with(first.path()));
}

TEST_CASE("where no parent has enough room, it is the roomiest of several file systems") {
  const TemporaryFolder folder;
  std::string less = "/dev/shm", more = folder.path();
  const auto free_bytes = [](const std::string& path) {
    struct statvfs info = {};
    return statvfs(path.c_str(), &info) == 0 ? uint64_t{info.f_bavail} * info.f_frsize : 0;
  };
  if (free_bytes(less) > free_bytes(more)) std::swap(less, more);
  constexpr uint64_t kOthersMayTake = uint64_t{256} << 20;
  if (free_bytes(less) + kOthersMayTake > free_bytes(more) || access(more.c_str(), W_OK) != 0) return;
  CHECK(SessionDirectory::CreateBelow({less, more}, UINT64_MAX)->path().starts_with(more));
  CHECK(SessionDirectory::CreateBelow({more, less}, UINT64_MAX)->path().starts_with(more));
}

TEST_CASE("without a parent the error says what to do") {
  const absl::StatusOr<SessionDirectory> session = SessionDirectory::CreateBelow({"relative", "/proc"}, 1 << 20);
  REQUIRE_FALSE(session.ok());
  const std::string message(session.status().message());
  CHECK(message.find("TMPDIR") != std::string::npos);
  CHECK(message.find("/proc is full") != std::string::npos);
}

}  // namespace
}  // namespace geckoprof
