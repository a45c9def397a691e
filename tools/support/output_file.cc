#include "tools/support/output_file.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <memory>
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

absl::Status CannotWrite(const std::string& path, int error) {
  return ErrnoStatus(error, Concat("cannot write ", path));
}

absl::StatusOr<std::unique_ptr<FilePlace>> FindPlace(const std::string& path) {
  auto place = std::make_unique<FilePlace>();
  if (const int error = place->Find(path.c_str()); error != 0) return CannotWrite(path, error);
  return place;
}

bool IsSame(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

}  // namespace

bool LeadToOneFile(const std::string& a, const std::string& b) {
  struct stat info_a = {}, info_b = {};
  const bool exists = stat(a.c_str(), &info_a) == 0;
  if ((stat(b.c_str(), &info_b) == 0) != exists) return false;
  if (exists) return IsSame(info_a, info_b) && (S_ISREG(info_a.st_mode) || S_ISFIFO(info_a.st_mode));
  const absl::StatusOr<std::unique_ptr<FilePlace>> place_a = FindPlace(a), place_b = FindPlace(b);
  if (!place_a.ok() || !place_b.ok()) return false;
  return fstat((*place_a)->folder.number(), &info_a) == 0 && fstat((*place_b)->folder.number(), &info_b) == 0 &&
         IsSame(info_a, info_b) && std::string_view((*place_a)->name()) == (*place_b)->name();
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

namespace {

constexpr int kMaxNames = 10'000;            // tried before giving up
constexpr uint64_t kLeastRoomBytes = 16384;  // of a file system: a small compressed profile has 8 KiB

// A profile holds command lines and the names of files: whose it is, decides who else may read it.
constexpr mode_t kNewFileMode = 0600;

absl::Status Failed(std::string_view what, const std::string& path) {
  return ErrnoStatus(errno, Concat(what, " ", path));
}

absl::Status Unread(const std::string& path) {
  return absl::FailedPreconditionError(Concat("nobody reads ", path, ", a FIFO: start its reader first"));
}

bool IsFifo(const std::string& path) {
  struct stat status;
  return path != "-" && stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

// Opens the file, which exists. A FIFO is opened without waiting for a reader, and written as slowly as it reads.
absl::StatusOr<Fd> OpenExisting(const FilePlace& place, const std::string& path) {
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

// Returns true if chattr(1) allows a new file in the place of this one. An attribute of a file protects its name from
// every user. An attribute of a folder protects all its names.
bool MayBeReplaced(const FilePlace& place) {
  constexpr uint64_t kFixed = STATX_ATTR_APPEND | STATX_ATTR_IMMUTABLE;
  const auto is_fixed = [](int folder, const char* name, int flags) {
    struct statx found = {};
    return statx(folder, name, flags, 0, &found) == 0 && (found.stx_attributes & kFixed) != 0;
  };
  const int folder = place.folder.number();
  return !is_fixed(folder, place.name(), 0) && !is_fixed(folder, "", AT_EMPTY_PATH);
}

}  // namespace

absl::StatusOr<OutputFile> OutputFile::Create(const std::string& path) {
  if (path == "-") {
    const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) return Failed("cannot write", "the standard output");
    return OutputFile("the standard output", nullptr, fd);
  }
  absl::StatusOr<std::unique_ptr<FilePlace>> found = FindPlace(path);
  if (!found.ok()) return found.status();
  FilePlace& place = **found;
  if (place.way == FilePlace::Way::kReplace) {
    // An existing file that may not be written is respected, although a rename would replace it.
    if (place.exists && faccessat(place.folder.number(), place.name(), W_OK, 0) != 0) {
      return Failed("cannot write", path);
    }
    return OpenReplacement(path, *std::move(found));
  }
  absl::StatusOr<Fd> opened = OpenExisting(place, path);
  if (!opened.ok()) return opened.status();
  const int fd = opened->number();
  opened->Forget();
  return OutputFile(path, *std::move(found), fd);
}

absl::StatusOr<OutputFile> OutputFile::Create(const std::string& path, Numbers numbers) {
  if (numbers == Numbers::kNever) return Create(path);
  absl::StatusOr<std::unique_ptr<FilePlace>> found = FindPlace(path);
  if (!found.ok()) return found.status();
  // No file is replaced, so none gives its mode.
  (*found)->exists = false;
  (*found)->way = FilePlace::Way::kReplace;
  absl::StatusOr<OutputFile> file = OpenReplacement(path, *std::move(found));
  if (file.ok()) file->numbers_ = numbers;
  return file;
}

absl::StatusOr<OutputFile> OutputFile::OfDescriptor(int descriptor, const std::string& path) {
  const int fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  struct stat status = {};
  if (fd < 0 || fstat(fd, &status) != 0) {
    const absl::Status failed = Failed("cannot write", path);
    if (fd >= 0) close(fd);
    return failed;
  }
  OutputFile file(path, nullptr, fd);
  file.has_old_bytes_ = S_ISREG(status.st_mode);
  return file;
}

absl::StatusOr<OutputFile> OutputFile::OpenReplacement(const std::string& path, std::unique_ptr<FilePlace> place) {
  if (!MayBeReplaced(*place)) {
    return absl::PermissionDeniedError(Concat("cannot write ", path, ": it or its folder is append-only or immutable"));
  }
  const int folder = place->folder.number();
  OutputFile file(path, std::move(place), -1);
  // A nameless file gets its name by way of /proc (open(2), O_TMPFILE).
  const bool has_proc = access("/proc/self/fd", F_OK) == 0;
  if (has_proc) file.fd_ = openat(folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, kNewFileMode);
  if (file.fd_ < 0) {
    FilePlace::TemporaryName temporary;
    file.fd_ = openat(folder, temporary.text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kNewFileMode);
    if (file.fd_ < 0) return Failed("cannot create a file beside", file.place_->file);
    file.temporary_name_ = temporary.text;
  }
  FilePlace::MakePrivate(file.fd_);
  if (file.place_->exists) FilePlace::CopyPermissions(file.place_->status, file.fd_);
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      place_(std::move(other.place_)),
      numbers_(other.numbers_),
      begun_(other.begun_),
      has_old_bytes_(other.has_old_bytes_),
      temporary_name_(std::exchange(other.temporary_name_, {})),
      fd_(std::exchange(other.fd_, -1)) {}

OutputFile::~OutputFile() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_name_.empty()) unlinkat(place_->folder.number(), temporary_name_.c_str(), 0);
}

absl::Status OutputFile::Begin() {
  if (begun_) return absl::OkStatus();
  begun_ = true;
  return has_old_bytes_ && ftruncate(fd_, 0) != 0 ? Failed("cannot write", path_) : absl::OkStatus();
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
  FilePlace::TemporaryName temporary;
  if (linkat(AT_FDCWD, nameless.c_str(), place_->folder.number(), temporary.text, AT_SYMLINK_FOLLOW) != 0) {
    return Failed("cannot create", path_);
  }
  temporary_name_ = temporary.text;
  return absl::OkStatus();
}

absl::Status OutputFile::Commit() {
  if (absl::Status begun = Begin(); !begun.ok()) return begun;
  const bool is_replacement = IsReplacement();
  std::optional<SignalsHeld> held;
  if (is_replacement) held.emplace();
  if (is_replacement && temporary_name_.empty()) {
    absl::Status named = GiveName();
    if (!named.ok()) return named;
  }
  // close reports what a network file system or a quota refused late.
  if (close(std::exchange(fd_, -1)) != 0 && errno != EINTR) return Failed("cannot write", path_);
  if (!is_replacement) return absl::OkStatus();
  return Rename();
}

absl::Status OutputFile::Rename() {
  const int folder = place_->folder.number();
  std::string name = place_->name();
  if (numbers_ != Numbers::kNever) {
    absl::StatusOr<std::string> reserved = ReserveName();
    if (!reserved.ok()) return reserved.status();
    const std::string_view file = place_->file;
    path_ = Concat(file.substr(0, file.size() - name.size()), *reserved);
    name = *std::move(reserved);
  }
  if (renameat(folder, temporary_name_.c_str(), folder, name.c_str()) != 0) {
    absl::Status failed = Failed("cannot create", path_);
    if (numbers_ != Numbers::kNever) unlinkat(folder, name.c_str(), 0);
    return failed;
  }
  temporary_name_.clear();
  return absl::OkStatus();
}

// Makes an empty file, whose name is free. The temporary file takes its place a moment later. Returns the name.
absl::StatusOr<std::string> OutputFile::ReserveName() {
  constexpr std::string_view kEndings[] = {".json.gz", ".json", ".gz"};
  const std::string_view wanted = place_->name();
  const auto found = std::ranges::find_if(kEndings, [&](std::string_view each) { return wanted.ends_with(each); });
  const std::string_view ending = found != std::end(kEndings) ? *found : "";
  const std::string_view stem = wanted.substr(0, wanted.size() - ending.size());
  const auto numbered = [&](int number) { return Concat(stem, "-", number, ending); };
  const bool has_first = numbers_ == Numbers::kAlways;
  std::string name = has_first ? numbered(1) : std::string(wanted);
  for (int number = 2; number < 2 + kMaxNames; ++number) {
    const Fd fd(openat(place_->folder.number(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFileMode));
    if (fd.ok()) return name;
    if (errno != EEXIST) return Failed("cannot create", path_);
    name = numbered(number);
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
  if (!IsReplacement() || fstatvfs(fd_, &info) != 0 || info.f_blocks == 0) {
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
  const absl::StatusOr<std::unique_ptr<FilePlace>> found = FindPlace(path);
  if (!found.ok()) return found.status();
  return OpenExisting(**found, path);
}

}  // namespace geckoprof
