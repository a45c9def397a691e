#include "geckoprof/base/file_place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include <string.h>
#include <sys/vfs.h>

#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/text_builder.h"

namespace geckoprof {
namespace {

constexpr int kMaxLinks = 40;  // the kernel follows as many

// Returns 0 or an error number.
int ReadStat(const Fd& file, struct stat& info) {
  return static_cast<int>(-RawSyscall(SYS_newfstatat, file.number(), "", &info, AT_EMPTY_PATH));
}

// Returns true if another user may have placed the file in a folder that users share, such as /tmp.
bool IsDoubtful(const struct stat& file, const Fd& folder) {
  struct stat info = {};
  if (file.st_uid == static_cast<uid_t>(RawSyscall(SYS_geteuid)) || ReadStat(folder, info) != 0) return false;
  return (info.st_mode & S_ISVTX) != 0 && (info.st_mode & (S_IWGRP | S_IWOTH)) != 0 && file.st_uid != info.st_uid;
}

// Returns true if only another user may replace the file, although we may write it.
bool IsProtected(const struct stat& file, const Fd& folder) {
  const auto user = static_cast<uid_t>(RawSyscall(SYS_geteuid));
  struct stat info = {};
  return user != 0 && file.st_uid != user && ReadStat(folder, info) == 0 && (info.st_mode & S_ISVTX) != 0 &&
         info.st_uid != user;
}

// Returns true if the file is a mount point (`docker run -v FILE:FILE`). No other file can get its name.
bool IsMounted(const Fd& folder, const char* name) {
  struct statx info = {};
  return !IsSyscallError(RawSyscall(SYS_statx, folder.number(), name, AT_SYMLINK_NOFOLLOW, 0, &info)) &&
         (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

Fd OpenIn(const Fd& folder, const char* name, int flags) {
  return Fd(static_cast<int>(RawSyscall(SYS_openat, folder.number(), name, flags | O_CLOEXEC, 0)));
}

// Opens a folder, link or file of a path. O_DIRECTORY makes the kernel mount a folder that is mounted on demand.
Fd OpenPart(const Fd& folder, const char* name, bool is_last) {
  Fd part = OpenIn(folder, name, O_PATH | O_NOFOLLOW | (is_last ? 0 : O_DIRECTORY));
  return part.error() == ENOTDIR ? OpenIn(folder, name, O_PATH | O_NOFOLLOW) : std::move(part);
}

// UnseenPath: the part of a path that Find has not entered. It ends at the end of the buffer, so that the target of a
// link can be put before it.
class UnseenPath {
 public:
  // Returns false if the path is too long.
  bool Set(const char* path) {
    const size_t bytes = strlen(path) + 1;
    if (bytes > sizeof(text_)) return false;
    start_ = sizeof(text_) - bytes;
    memcpy(text_ + start_, path, bytes);
    return true;
  }

  // Returns true if the path starts at the root. The slashes are removed.
  bool RemoveSlashes() {
    const bool has_some = text_[start_] == '/';
    while (text_[start_] == '/') ++start_;
    return has_some;
  }

  // Removes the first name and the slashes after it. Returns the name, which is valid until the next call of a
  // function.
  std::string_view RemoveName(bool& is_last) {
    const std::string_view rest(text_ + start_);
    const std::string_view name = rest.substr(0, rest.find('/'));
    start_ += name.size();
    is_last = !RemoveSlashes();
    return name;
  }

  // Puts the target of a link before the path. Returns 0 or an error number.
  int PrependTarget(const Fd& folder, const char* link, bool is_last) {
    if (start_ == 0) return ENAMETOOLONG;
    if (!is_last) text_[--start_] = '/';
    const long bytes = RawSyscall(SYS_readlinkat, folder.number(), link, text_, start_);
    if (bytes <= 0) return bytes == 0 ? ENAMETOOLONG : static_cast<int>(-bytes);
    if (static_cast<size_t>(bytes) == start_) return ENAMETOOLONG;
    start_ -= static_cast<size_t>(bytes);
    memmove(text_ + start_, text_, static_cast<size_t>(bytes));
    return 0;
  }

 private:
  char text_[FilePlace::kMaxBytes];
  size_t start_ = 0;
};

}  // namespace

bool FilePlace::IsOfTheKernel(int fd) {
  struct statfs info = {};
  return !IsSyscallError(RawSyscall(SYS_fstatfs, fd, &info)) && info.f_type == PROC_SUPER_MAGIC;
}

bool FilePlace::AppendToFile(std::string_view text) {
  const size_t used = strlen(file);
  if (used + text.size() >= sizeof(file)) return false;
  memcpy(file + used, text.data(), text.size());
  file[used + text.size()] = '\0';
  return true;
}

// Fills in the members for a file with `info` that exists.
int FilePlace::FindLast(const struct stat& info) {
  exists = true;
  status = info;
  // The target of a link in /proc/self/fd may have no other name, so the file is opened through the link.
  const bool is_of_kernel = IsOfTheKernel(folder.number());
  if (is_of_kernel) {
    const long result = RawSyscall(SYS_newfstatat, folder.number(), name(), &status, 0);
    if (IsSyscallError(result)) return static_cast<int>(-result);
    // A closed descriptor of the program may be one of Find's by now.
    const bool is_own = S_ISLNK(info.st_mode) && (S_ISLNK(status.st_mode) || S_ISDIR(status.st_mode));
    if (is_own) return ENOENT;
  }
  if (!S_ISREG(status.st_mode)) {
    way = Way::kStream;
  } else if (is_of_kernel || IsMounted(folder, name()) || IsProtected(info, folder)) {
    way = Way::kInPlace;
  }
  return 0;
}

int FilePlace::Find(const char* path) {
  UnseenPath unseen;
  if (path[0] == '\0') return ENOENT;
  if (!unseen.Set(path)) return ENAMETOOLONG;
  way = Way::kReplace;
  exists = false;
  file[0] = '\0';
  folder = Fd::Open(".", O_PATH | O_DIRECTORY);
  for (int links = 0; links <= kMaxLinks;) {
    if (unseen.RemoveSlashes()) {
      folder = Fd::Open("/", O_PATH | O_DIRECTORY);
      file[0] = '\0';
      AppendToFile("/");
    }
    if (!folder.ok()) return folder.error();
    const size_t folder_bytes = strlen(file);
    bool is_last = false;
    const std::string_view first = unseen.RemoveName(is_last);
    if (first.empty()) return EISDIR;
    if (!AppendToFile(first)) return ENAMETOOLONG;

    Fd part = OpenPart(folder, name(), is_last);
    const bool is_of_kernel = IsOfTheKernel(folder.number());
    if (part.error() == ENOENT && is_last && !is_of_kernel) return 0;
    struct stat info = {};
    const int error = part.ok() ? ReadStat(part, info) : part.error();
    if (error != 0) return error;
    const bool is_link = S_ISLNK(info.st_mode);
    if ((is_link || is_last) && IsDoubtful(info, folder)) return EACCES;

    if (is_link && !is_of_kernel) {
      const int target_error = unseen.PrependTarget(folder, name(), is_last);
      if (target_error != 0) return target_error;
      file[folder_bytes] = '\0';
      ++links;
      continue;
    }
    if (is_last) return FindLast(info);
    // The kernel knows where a link in /proc leads.
    if (is_link) part = OpenIn(folder, name(), O_PATH | O_DIRECTORY);
    if (!part.ok()) return part.error();
    if (!is_link && !S_ISDIR(info.st_mode)) return ENOTDIR;
    folder = std::move(part);
    if (!AppendToFile("/")) return ENAMETOOLONG;
  }
  return ELOOP;
}

Fd FilePlace::Open(int flags) const {
  // Links of /proc are the only ones that Find has not followed.
  const int no_follow = IsOfTheKernel(folder.number()) ? 0 : O_NOFOLLOW;
  Fd opened = OpenIn(folder, name(), flags | no_follow | O_NOCTTY);
  struct stat info = {};
  if (!opened.ok() || ReadStat(opened, info) != 0) return opened;
  const bool is_same = info.st_dev == status.st_dev && info.st_ino == status.st_ino &&
                       (info.st_mode & S_IFMT) == (status.st_mode & S_IFMT);
  return is_same ? std::move(opened) : Fd(-EACCES);
}

FilePlace::TemporaryName::TemporaryName() {
  int64_t random = 0;
  // If the kernel gives no random bytes, the clock gives a name that is free.
  constexpr unsigned kDoNotWait = 1;  // GRND_NONBLOCK
  if (RawSyscall(SYS_getrandom, &random, sizeof(random), kDoNotWait) != sizeof(random)) random = MonotonicNs();
  TextBuilder(text).Text(".geckoprof-").Number(random & INT64_MAX).Text(".tmp");
}

void FilePlace::MakePrivate(int fd) {
  struct stat info = {};
  if (IsSyscallError(RawSyscall(SYS_fstat, fd, &info)) || (info.st_mode & 07777) == 0600) return;
  RawSyscall(SYS_fchmod, fd, 0600);
}

void FilePlace::CopyPermissions(const struct stat& status, int fd) {
  const auto change_owner = [fd](uid_t user, gid_t group) {
    return !IsSyscallError(RawSyscall(SYS_fchown, fd, user, group));
  };
  constexpr auto kSame = static_cast<uid_t>(-1);
  mode_t mode = status.st_mode & 0777;
  struct stat own = {};
  if (IsSyscallError(RawSyscall(SYS_fstat, fd, &own))) return;
  if (own.st_gid != status.st_gid && !change_owner(kSame, status.st_gid)) mode &= ~mode_t{S_IRWXG};
  if (IsSyscallError(RawSyscall(SYS_fchmod, fd, mode))) return;
  // The owner changes last, because we may not change the mode of another user's file.
  if (own.st_uid != status.st_uid) change_owner(status.st_uid, kSame);
}

}  // namespace geckoprof
