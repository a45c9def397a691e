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

constexpr int kMaxNames = 100;  // tried before giving up

absl::Status Failed(std::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno, Concat(what, " ", path));
}

absl::Status Unread(const std::string& path) {
  return absl::FailedPreconditionError(Concat("nobody reads ", path, ", a FIFO: start its reader first"));
}

bool IsFifo(const std::string& path) {
  struct stat status;
  return path != "-" && stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

// What exists and is no regular file. A FIFO is opened without waiting for a reader, and written as slowly as it reads.
absl::StatusOr<int> OpenDirect(const std::string& path, mode_t mode) {
  const int without_waiting = S_ISFIFO(mode) ? O_NONBLOCK : 0;
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | without_waiting);
  if (fd < 0) return S_ISFIFO(mode) && errno == ENXIO ? Unread(path) : Failed("cannot write", path);
  if (without_waiting != 0) fcntl(fd, F_SETFL, O_WRONLY);
  // A device that takes nothing (/dev/full) says so even of nothing.
  if (S_ISCHR(mode) && write(fd, "", 0) < 0) {
    const absl::Status failed = Failed("cannot write", path);
    close(fd);
    return failed;
  }
  return fd;
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

std::string TemporaryName(const std::string& path, int attempt) {
  return Concat(path, ".", getpid(), "-", attempt, ".tmp");
}

}  // namespace

absl::StatusOr<OutputFile> OutputFile::Create(const std::string& path) {
  if (path == "-") {
    const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) return Failed("cannot write", "the standard output");
    return OutputFile("the standard output", Place::kDirect, "", fd);
  }
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    const absl::StatusOr<int> fd = OpenDirect(path, status.st_mode);
    if (!fd.ok()) return fd.status();
    return OutputFile(path, Place::kDirect, "", *fd);
  }
  // An existing file that may not be written is respected, although a rename would replace it.
  if (access(path.c_str(), F_OK) == 0 && access(path.c_str(), W_OK) != 0) return Failed("cannot write", path);
  // A nameless file gets its name by way of /proc (open(2), O_TMPFILE).
  const bool has_proc = access("/proc/self/fd", F_OK) == 0;
  const int nameless = has_proc ? open(FolderOf(path).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666) : -1;
  if (nameless >= 0) return OutputFile(path, Place::kNameless, "", nameless);
  for (int attempt = 0; attempt < kMaxNames; ++attempt) {
    std::string temporary = TemporaryName(path, attempt);
    const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0) return OutputFile(path, Place::kTemporary, std::move(temporary), fd);
    if (errno != EEXIST) return Failed("cannot create a file beside", path);
  }
  return absl::AlreadyExistsError(Concat("too many left-over temporary files beside ", path));
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      place_(other.place_),
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

absl::Status OutputFile::GiveName() {
  const std::string nameless = Concat("/proc/self/fd/", fd_);
  for (int attempt = 0; attempt < kMaxNames; ++attempt) {
    const std::string temporary = TemporaryName(path_, attempt);
    if (linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_path_ = temporary;
      return absl::OkStatus();
    }
    if (errno != EEXIST) return Failed("cannot create", path_);
  }
  return absl::AlreadyExistsError(Concat("too many left-over temporary files beside ", path_));
}

absl::Status OutputFile::Commit() {
  if (place_ == Place::kNameless) {
    const absl::Status named = GiveName();
    if (!named.ok()) return named;
  }
  // close reports what a network file system or a quota refused late.
  if (close(std::exchange(fd_, -1)) != 0 && errno != EINTR) return Failed("cannot write", path_);
  if (place_ == Place::kDirect) return absl::OkStatus();
  if (rename(temporary_path_.c_str(), path_.c_str()) != 0) return Failed("cannot create", path_);
  temporary_path_.clear();
  return absl::OkStatus();
}

absl::StatusOr<std::string> OutputFile::Reserve(const std::string& path) {
  constexpr std::string_view kEnding = ".json.gz";
  const bool has_ending = path.ends_with(kEnding);
  const std::string stem = has_ending ? path.substr(0, path.size() - kEnding.size()) : path;
  std::string name = path;
  for (int number = 2; number < 2 + kMaxNames; ++number) {
    const int fd = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
      close(fd);
      return name;
    }
    if (errno != EEXIST) return Failed("cannot create", name);
    name = Concat(stem, "-", number, has_ending ? kEnding : "");
  }
  return absl::AlreadyExistsError(Concat("too many files like ", path));
}

absl::Status OutputFile::CheckWritable(const std::string& path) {
  if (path.empty()) return absl::InvalidArgumentError("the name of the output file is empty");
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return absl::InvalidArgumentError(Concat(path, " is a directory"));
  }
  // A FIFO's reader would see the end when what was opened here is closed.
  if (IsFifo(path)) return access(path.c_str(), W_OK) == 0 ? absl::OkStatus() : Failed("cannot write", path);
  return Create(path).status();
}

absl::StatusOr<Fd> OutputFile::CheckAndHold(const std::string& path) {
  if (!IsFifo(path)) {
    if (absl::Status status = CheckWritable(path); !status.ok()) return status;
    return Fd();
  }
  absl::StatusOr<int> fd = OpenDirect(path, S_IFIFO);
  if (!fd.ok()) return fd.status();
  return Fd(*fd);
}

}  // namespace geckoprof
