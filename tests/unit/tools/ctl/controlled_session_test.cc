#include "tools/ctl/controlled_session.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temporary_folder.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

// A session directory with one segment, whose pid is above every process's.
class SessionFolder {
 public:
  SessionFolder() {
    std::filesystem::create_directory(path_);
    chmod(path_.c_str(), 0700);
    std::filesystem::copy_file(segment_.path(), path_ + "/8388608-0.segment");
  }
  const std::string& path() const { return path_; }
  std::string Beside(const std::string& name) const { return folder_.path() + "/" + name; }

 private:
  const TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/session";
  TestSegment segment_;
};

std::string ErrorOf(const std::string& path) {
  const absl::StatusOr<ControlledSession> session = ControlledSession::Open(path);
  return session.ok() ? "" : std::string(session.status().message());
}

TEST_CASE("a session directory has a size, a limit and recordings") {
  const SessionFolder folder;
  const absl::StatusOr<ControlledSession> session = ControlledSession::Open(folder.path() + "/");
  REQUIRE(session.ok());
  const ControlledSession::Size size = session->Measure({});
  CHECK(size.recordings == 1);
  CHECK(size.bytes > 0);
  REQUIRE(size.limit.has_value());
  CHECK(size.limit->bytes > 0);
  CHECK(size.limit->kind == DroppedFor::kCapacity);
  CHECK(size.counted_bytes == size.bytes);          // no process lives
  CHECK(session->FindMembers().recording.empty());  // no process has mapped the file
  CHECK(session->FindMembers().errors.empty());
  CHECK(session->WithPath(session->held_path() + "/8388608-0.segment") == folder.path() + "/8388608-0.segment");
}

TEST_CASE("a damaged segment counts, and limits nothing") {
  const SessionFolder folder;
  std::ofstream(folder.path() + "/8388608-0.segment") << "no segment";
  const absl::StatusOr<ControlledSession> session = ControlledSession::Open(folder.path());
  REQUIRE(session.ok());
  CHECK(session->Measure({}).recordings == 1);
  CHECK_FALSE(session->Measure({}).limit.has_value());
}

TEST_CASE("what is no session directory of this user alone is refused with the reason") {
  const SessionFolder folder;
  const std::string link = folder.Beside("link");
  std::filesystem::create_directory_symlink(folder.path(), link);
  CHECK(ErrorOf(link) == link + ": is a symbolic link");
  CHECK(ErrorOf(link + "/") == link + ": is a symbolic link");
  CHECK(ErrorOf(folder.Beside("none")) == folder.Beside("none") + ": No such file or directory");
  CHECK(ErrorOf(folder.path() + "/8388608-0.segment").find("is no session directory") != std::string::npos);
  const std::string other = folder.Beside("other");
  std::filesystem::create_directory(other);
  chmod(other.c_str(), 0700);
  CHECK(ErrorOf(other).find("nothing in it is of a recording") != std::string::npos);
  std::ofstream(other + "/notes.segment") << "x";
  CHECK(ErrorOf(other).find("nothing in it is of a recording") != std::string::npos);
  chmod(folder.path().c_str(), 0750);
  CHECK(ErrorOf(folder.path()) == folder.path() + ": is open to other users");
}

TEST_CASE("a directory that is renamed and replaced is still the one that was opened") {
  const SessionFolder folder;
  const absl::StatusOr<ControlledSession> session = ControlledSession::Open(folder.path());
  REQUIRE(session.ok());
  std::filesystem::rename(folder.path(), folder.Beside("renamed"));
  std::filesystem::create_directory(folder.path());
  CHECK(session->Measure({}).recordings == 1);
}

}  // namespace
}  // namespace geckoprof
