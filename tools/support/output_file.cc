#include "tools/support/output_file.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <utility>

#include "geckoprof/base/file_place.h"
#include "tools/text/concat.h"
#include "tools/text/errno_status.h"

namespace geckoprof {

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

namespace {

bool IsSame(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

}  // namespace

bool LeadToOneFile(const std::string& a, const std::string& b) {
  struct stat info_a = {}, info_b = {};
  const bool exists = stat(a.c_str(), &info_a) == 0;
  if ((stat(b.c_str(), &info_b) == 0) != exists) return false;
  if (exists) return IsSame(info_a, info_b) && (S_ISREG(info_a.st_mode) || S_ISFIFO(info_a.st_mode));
  const absl::StatusOr<OutputPlace> place_a = OutputPlace::Find(a), place_b = OutputPlace::Find(b);
  if (!place_a.ok() || !place_b.ok()) return false;
  const std::string folder_a = FolderOf(place_a->file), folder_b = FolderOf(place_b->file);
  return stat(folder_a.c_str(), &info_a) == 0 && stat(folder_b.c_str(), &info_b) == 0 && IsSame(info_a, info_b) &&
         place_a->file.substr(place_a->file.rfind('/') + 1) == place_b->file.substr(place_b->file.rfind('/') + 1);
}

std::string WithName(const std::string& path, std::string_view what) {
  const std::string spaced = Concat(" ", what, " ");
  for (const char* const end : {" ", ":", ","}) {
    if (!path.empty() && spaced.find(Concat(" ", path, end)) != std::string::npos) return std::string(what);
  }
  return Concat(path, ": ", what);
}

absl::Status CheckIsNoInput(const std::string& output, std::span<const std::string> inputs) {
  if (output == "-") return absl::OkStatus();
  for (const std::string& input : inputs) {
    if (!LeadToOneFile(output, input == "-" ? "/dev/stdin" : input)) continue;
    return absl::InvalidArgumentError(Concat(output, " is read, and would be overwritten"));
  }
  return absl::OkStatus();
}

absl::StatusOr<OutputPlace> OutputPlace::Find(const std::string& path) {
  FilePlace found;
  if (const int error = found.Find(path.c_str()); error != 0) {
    return ErrnoStatus(error, Concat("cannot write ", path));
  }
  return Of(found);
}

OutputPlace OutputPlace::Of(const FilePlace& found) {
  OutputPlace place;
  place.way = found.way;
  place.file = found.file;
  if (found.exists) place.status = found.status;
  return place;
}

void OutputPlace::CopyPermissions(int fd) const {
  if (status) FilePlace::CopyPermissions(*status, fd);
}

namespace {

constexpr int kMaxNames = 100;               // tried before giving up
constexpr uint64_t kLeastRoomBytes = 16384;  // of a file system: a small compressed profile has 8 KiB

constexpr char kFixedPlace[] = ": it or its folder is append-only or immutable";

// A profile holds command lines and the names of files: whose it is, decides who else may read it.
constexpr mode_t kNewFileMode = 0600;

absl::Status Failed(std::string_view what, const std::string& path) {
  return ErrnoStatus(errno, Concat(what, " ", path));
}

absl::Status CannotWrite(const std::string& path, int error) {
  return ErrnoStatus(error, Concat("cannot write ", path));
}

absl::Status Unread(const std::string& path) {
  return absl::FailedPreconditionError(Concat("nobody reads ", path, ", a FIFO: start its reader first"));
}

bool IsFifo(const std::string& path) {
  struct stat status;
  return path != "-" && stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

// Opens the file, which exists. A FIFO is opened without waiting for a reader, and written as slowly as it reads.
absl::StatusOr<Fd> OpenExisting(FilePlace& place, const std::string& path) {
  const mode_t mode = place.status.st_mode;
  Fd file = place.Open(O_WRONLY | (S_ISFIFO(mode) ? O_NONBLOCK : 0));
  if (!file.ok()) {
    if (S_ISFIFO(mode) && file.error() == ENXIO) return Unread(path);
    return CannotWrite(path, file.error());
  }
  if (S_ISFIFO(mode)) fcntl(file.number(), F_SETFL, O_WRONLY);
  // A device that takes nothing (/dev/full) says so even of nothing.
  if (S_ISCHR(mode) && write(file.number(), "", 0) < 0) return Failed("cannot write", path);
  if (S_ISREG(mode) && FilePlace::IsOfTheKernel(file.number())) {
    return absl::InvalidArgumentError(Concat("cannot write ", path, ": it is a file of the kernel's"));
  }
  return file;
}

// Short whatever the file is called: a name may have 255 bytes.
std::string TemporaryName(const std::string& path, int attempt) {
  return Concat(FolderOf(path), ".geckoprof-", getpid(), "-", attempt, ".tmp");
}

// Whether a reader makes room within OutputFile::kPatienceMs. errno stays EAGAIN.
bool TakesMoreSoon(int fd) {
  pollfd what = {fd, POLLOUT, 0};
  const bool takes_more = poll(&what, 1, OutputFile::kPatienceMs) > 0;
  errno = EAGAIN;
  return takes_more;
}

// While it lives, no signal but SIGKILL ends the process: between a file's temporary name and its own.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

// chattr(1)'s attributes: nothing may take the name of such a file, whoever asks; in such a folder nothing may be
// renamed.
bool MayBeReplaced(const std::string& file) {
  constexpr uint64_t kFixed = STATX_ATTR_APPEND | STATX_ATTR_IMMUTABLE;
  struct statx found = {};
  if (statx(AT_FDCWD, file.c_str(), 0, 0, &found) == 0 && (found.stx_attributes & kFixed) != 0) return false;
  return statx(AT_FDCWD, FolderOf(file).c_str(), 0, 0, &found) != 0 || (found.stx_attributes & kFixed) == 0;
}

}  // namespace

absl::StatusOr<OutputFile> OutputFile::Create(const std::string& path) {
  if (path == "-") {
    const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) return Failed("cannot write", "the standard output");
    OutputPlace place;
    place.way = OutputPlace::Way::kStream;
    return OutputFile("the standard output", std::move(place), fd);
  }
  FilePlace found;
  if (const int error = found.Find(path.c_str()); error != 0) return CannotWrite(path, error);
  OutputPlace place = OutputPlace::Of(found);
  if (found.way != FilePlace::Way::kReplace) {
    absl::StatusOr<Fd> opened = OpenExisting(found, path);
    if (!opened.ok()) return opened.status();
    const int fd = opened->number();
    opened->Forget();
    return OutputFile(path, std::move(place), fd);
  }
  // An existing file that may not be written is respected, although a rename would replace it.
  if (found.exists && access(found.file, W_OK) != 0) return Failed("cannot write", path);
  if (!MayBeReplaced(place.file)) {
    return absl::PermissionDeniedError(Concat("cannot write ", path, kFixedPlace));
  }
  OutputFile file(path, std::move(place), -1);
  const absl::Status opened = file.OpenReplacement();
  return opened.ok() ? absl::StatusOr<OutputFile>(std::move(file)) : opened;
}

absl::StatusOr<OutputFile> OutputFile::CreateNumbered(const std::string& path) {
  OutputPlace place;
  place.file = path;
  if (!MayBeReplaced(path)) return absl::PermissionDeniedError(Concat("cannot write ", path, kFixedPlace));
  OutputFile file(path, std::move(place), -1);
  file.numbered_ = true;
  const absl::Status opened = file.OpenReplacement();
  return opened.ok() ? absl::StatusOr<OutputFile>(std::move(file)) : opened;
}

absl::StatusOr<OutputFile> OutputFile::OfDescriptor(int descriptor, const std::string& path) {
  const int fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  struct stat status = {};
  if (fd < 0 || fstat(fd, &status) != 0) {
    const absl::Status failed = Failed("cannot write", path);
    if (fd >= 0) close(fd);
    return failed;
  }
  OutputPlace place;
  place.way = S_ISREG(status.st_mode) ? OutputPlace::Way::kInPlace : OutputPlace::Way::kStream;
  return OutputFile(path, std::move(place), fd);
}

absl::Status OutputFile::OpenReplacement() {
  // A nameless file gets its name by way of /proc (open(2), O_TMPFILE).
  const bool has_proc = access("/proc/self/fd", F_OK) == 0;
  if (has_proc) fd_ = open(FolderOf(place_.file).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, kNewFileMode);
  for (int attempt = 0; fd_ < 0 && attempt < kMaxNames; ++attempt) {
    std::string temporary = TemporaryName(place_.file, attempt);
    fd_ = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kNewFileMode);
    if (fd_ >= 0) {
      temporary_path_ = std::move(temporary);
    } else if (errno != EEXIST) {
      return Failed("cannot create a file beside", place_.file);
    }
  }
  if (fd_ < 0) return absl::AlreadyExistsError(Concat("too many left-over temporary files beside ", place_.file));
  FilePlace::MakePrivate(fd_);
  place_.CopyPermissions(fd_);
  return absl::OkStatus();
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      place_(std::move(other.place_)),
      numbered_(other.numbered_),
      begun_(other.begun_),
      temporary_path_(std::exchange(other.temporary_path_, {})),
      fd_(std::exchange(other.fd_, -1)) {}

OutputFile::~OutputFile() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_path_.empty()) unlink(temporary_path_.c_str());
}

absl::Status OutputFile::Begin() {
  if (begun_) return absl::OkStatus();
  begun_ = true;
  const bool has_old_bytes = place_.way == OutputPlace::Way::kInPlace;
  return has_old_bytes && ftruncate(fd_, 0) != 0 ? Failed("cannot write", path_) : absl::OkStatus();
}

absl::Status OutputFile::Write(std::string_view bytes) {
  if (absl::Status begun = Begin(); !begun.ok()) return begun;
  while (!bytes.empty()) {
    const ssize_t written = write(fd_, bytes.data(), bytes.size());
    if (written < 0 && (errno == EINTR || (errno == EAGAIN && TakesMoreSoon(fd_)))) continue;
    if (written < 0) return Failed("cannot write", path_);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status OutputFile::GiveName() {
  const std::string nameless = Concat("/proc/self/fd/", fd_);
  for (int attempt = 0; attempt < kMaxNames; ++attempt) {
    const std::string temporary = TemporaryName(place_.file, attempt);
    if (linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_path_ = temporary;
      return absl::OkStatus();
    }
    if (errno != EEXIST) return Failed("cannot create", path_);
  }
  return absl::AlreadyExistsError(Concat("too many left-over temporary files beside ", place_.file));
}

absl::Status OutputFile::Commit() {
  if (absl::Status begun = Begin(); !begun.ok()) return begun;
  const bool is_replacement = place_.way == OutputPlace::Way::kReplace;
  std::optional<SignalsHeld> held;
  if (is_replacement) held.emplace();
  if (is_replacement && temporary_path_.empty()) {
    absl::Status named = GiveName();
    if (!named.ok()) return named;
  }
  // close reports what a network file system or a quota refused late.
  if (close(std::exchange(fd_, -1)) != 0 && errno != EINTR) return Failed("cannot write", path_);
  if (!is_replacement) return absl::OkStatus();
  return Rename();
}

absl::Status OutputFile::Rename() {
  if (numbered_) {
    absl::Status taken = TakeFreeName();
    if (!taken.ok()) return taken;
  }
  if (rename(temporary_path_.c_str(), place_.file.c_str()) != 0) {
    absl::Status failed = Failed("cannot create", path_);
    if (numbered_) unlink(place_.file.c_str());
    return failed;
  }
  temporary_path_.clear();
  return absl::OkStatus();
}

// An empty file holds the name, until that of the bytes takes its place a moment later.
absl::Status OutputFile::TakeFreeName() {
  constexpr std::string_view kEnding = ".json.gz";
  const bool has_ending = path_.ends_with(kEnding);
  const std::string stem = has_ending ? path_.substr(0, path_.size() - kEnding.size()) : path_;
  std::string name = path_;
  for (int number = 2; number < 2 + kMaxNames; ++number) {
    const int fd = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFileMode);
    if (fd >= 0) {
      close(fd);
      path_ = place_.file = name;
      return absl::OkStatus();
    }
    if (errno != EEXIST) return Failed("cannot create", name);
    name = Concat(stem, "-", number, has_ending ? kEnding : "");
  }
  return absl::AlreadyExistsError(Concat("too many files like ", path_));
}

absl::Status OutputFile::CheckWritable(const std::string& path) {
  if (path.empty()) return absl::InvalidArgumentError("the name of the output file is empty");
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return absl::InvalidArgumentError(Concat(path, " is a directory"));
  }
  // A FIFO's reader would see the end when what was opened here is closed.
  if (IsFifo(path)) return access(path.c_str(), W_OK) == 0 ? absl::OkStatus() : Failed("cannot write", path);
  const absl::StatusOr<OutputFile> file = Create(path);
  return file.ok() ? file->CheckRoom() : file.status();
}

// How large the profile will be, nobody knows; but on a full file system there will be none.
absl::Status OutputFile::CheckRoom() const {
  struct statvfs info = {};
  if (place_.way != OutputPlace::Way::kReplace || fstatvfs(fd_, &info) != 0 || info.f_blocks == 0) {
    return absl::OkStatus();
  }
  const uint64_t free_bytes = uint64_t{geteuid() == 0 ? info.f_bfree : info.f_bavail} * info.f_frsize;
  if (free_bytes >= kLeastRoomBytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(Concat("cannot write ", path_, ": its file system has only ", free_bytes,
                                             " bytes free, and a profile takes ", kLeastRoomBytes, " or more"));
}

absl::StatusOr<Fd> OutputFile::CheckAndHold(const std::string& path) {
  if (!IsFifo(path)) {
    if (absl::Status status = CheckWritable(path); !status.ok()) return status;
    return Fd();
  }
  FilePlace found;
  if (const int error = found.Find(path.c_str()); error != 0) return CannotWrite(path, error);
  return OpenExisting(found, path);
}

}  // namespace geckoprof
