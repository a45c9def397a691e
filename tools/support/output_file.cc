#include "tools/support/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "tools/profile/concat.h"

namespace geckoprof {
namespace {

constexpr int kMaxNames = 100;  // temporary names tried before giving up

absl::Status Failed(std::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno, Concat(what, " ", path));
}

}  // namespace

absl::StatusOr<OutputFile> OutputFile::Create(const std::string& path) {
  if (path == "-") {
    const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) return Failed("cannot write", "the standard output");
    return OutputFile("the standard output", "", fd);
  }
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return Failed("cannot write", path);
    return OutputFile(path, "", fd);
  }
  // An existing file that may not be written is respected, although a rename would replace it.
  if (access(path.c_str(), F_OK) == 0 && access(path.c_str(), W_OK) != 0) return Failed("cannot write", path);
  for (int attempt = 0; attempt < kMaxNames; ++attempt) {
    std::string temporary = Concat(path, ".", getpid(), "-", attempt, ".tmp");
    const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0) return OutputFile(path, std::move(temporary), fd);
    if (errno != EEXIST) return Failed("cannot create a file beside", path);
  }
  return absl::AlreadyExistsError(Concat("too many left-over temporary files beside ", path));
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_path_(std::exchange(other.temporary_path_, {})),
      fd_(std::exchange(other.fd_, -1)) {}

OutputFile::~OutputFile() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_path_.empty()) unlink(temporary_path_.c_str());
}

absl::Status OutputFile::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failed("cannot write", path_);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status OutputFile::Commit() {
  // close reports what a network file system or a quota refused late.
  if (close(std::exchange(fd_, -1)) != 0 && errno != EINTR) return Failed("cannot write", path_);
  if (temporary_path_.empty()) return absl::OkStatus();
  if (rename(temporary_path_.c_str(), path_.c_str()) != 0) return Failed("cannot create", path_);
  temporary_path_.clear();
  return absl::OkStatus();
}

absl::Status OutputFile::CheckWritable(const std::string& path) {
  if (path.empty()) return absl::InvalidArgumentError("the name of the output file is empty");
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return absl::InvalidArgumentError(Concat(path, " is a directory"));
  }
  // Opening a pipe would wait for its reader.
  if (path != "-" && stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode)) {
    return access(path.c_str(), W_OK) == 0 ? absl::OkStatus() : Failed("cannot write", path);
  }
  return Create(path).status();
}

}  // namespace geckoprof
