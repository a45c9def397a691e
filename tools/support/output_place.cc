#include "tools/support/output_place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <string_view>

#include "tools/profile/concat.h"

namespace geckoprof {
namespace {

constexpr int kMaxLinks = 40;  // as many as the kernel follows

absl::Status Failed(int error, const std::string& path) {
  return absl::ErrnoToStatus(error, Concat("cannot write ", path));
}

bool IsOnProc(const std::string& folder) {
  struct statfs info = {};
  return statfs(folder.c_str(), &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

// Whether somebody else may have put a link into a folder that is everybody's, such as /tmp.
bool IsDoubtful(const struct stat& link, const std::string& folder) {
  constexpr mode_t kEverybodys = S_ISVTX | S_IWOTH;
  struct stat info = {};
  if (link.st_uid == geteuid() || stat(folder.c_str(), &info) != 0) return false;
  return (info.st_mode & kEverybodys) == kEverybodys && link.st_uid != info.st_uid;
}

// A file that something is mounted on (`docker run -v FILE:FILE`) has a name that cannot be given to another.
bool IsMounted(const std::string& path) {
  struct statx info = {};
  return statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, 0, &info) == 0 &&
         (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

// Whether another user's file, which we may write, lies where only its owner may replace it.
bool IsStuck(const struct stat& file, const std::string& folder) {
  struct stat info = {};
  return geteuid() != 0 && file.st_uid != geteuid() && stat(folder.c_str(), &info) == 0 &&
         (info.st_mode & S_ISVTX) != 0 && info.st_uid != geteuid();
}

// Empty: errno says why.
std::string TextOfLink(const std::string& path) {
  char text[PATH_MAX];
  const ssize_t size = readlink(path.c_str(), text, sizeof(text));
  if (size == sizeof(text)) errno = ENAMETOOLONG;
  return size <= 0 || size == sizeof(text) ? "" : std::string(text, static_cast<size_t>(size));
}

}  // namespace

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

absl::StatusOr<OutputPlace> OutputPlace::Find(const std::string& path) {
  OutputPlace place;
  place.file = path;
  struct stat status = {};
  if (stat(path.c_str(), &status) == 0) {
    place.status = status;
  } else if (errno != ENOENT) {
    return Failed(errno, path);
  }
  if (place.status && !S_ISREG(status.st_mode)) {
    place.way = Way::kStream;
    return place;
  }
  for (int links = 0; links < kMaxLinks; ++links) {
    const std::string folder = FolderOf(place.file);
    if (place.status && IsOnProc(folder)) {
      place.way = Way::kInPlace;
      return place;
    }
    struct stat info = {};
    if (lstat(place.file.c_str(), &info) != 0)
      return errno == ENOENT ? place : absl::StatusOr<OutputPlace>(Failed(errno, path));
    if (!S_ISLNK(info.st_mode)) {
      if (place.status && (IsMounted(place.file) || IsStuck(info, folder))) place.way = Way::kInPlace;
      return place;
    }
    if (IsDoubtful(info, folder)) return Failed(EACCES, path);
    const std::string text = TextOfLink(place.file);
    if (text.empty()) return Failed(errno, path);
    place.file = text.front() == '/' ? text : Concat(folder, text);
  }
  return Failed(ELOOP, path);
}

void OutputPlace::GiveRights(int fd) const {
  if (!status) return;
  mode_t mode = status->st_mode & 0777;
  struct stat own = {};
  if (fstat(fd, &own) != 0) return;
  if (own.st_gid != status->st_gid && fchown(fd, static_cast<uid_t>(-1), status->st_gid) != 0) mode &= ~mode_t{S_IRWXG};
  if (fchmod(fd, mode) != 0) return;
  // Last: the mode of another user's file may not be changed.
  if (own.st_uid != status->st_uid && fchown(fd, status->st_uid, static_cast<gid_t>(-1)) != 0) return;
}

}  // namespace geckoprof
