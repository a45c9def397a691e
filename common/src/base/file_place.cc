#include "geckoprof/base/file_place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include <string.h>
#include <sys/vfs.h>

#include <utility>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {
namespace {

constexpr int kMaxLinks = 40;  // the kernel follows as many

// Returns 0 or an error number.
int ReadStat(const char* path, int flags, struct stat& info) {
  return static_cast<int>(-RawSyscall(SYS_newfstatat, AT_FDCWD, path, &info, flags));
}

int ReadStat(const Fd& file, struct stat& info) {
  return static_cast<int>(-RawSyscall(SYS_newfstatat, file.number(), "", &info, AT_EMPTY_PATH));
}

// Returns true if another user may have placed the file in a folder that users share, such as /tmp.
bool IsDoubtful(const struct stat& file, const Fd& folder) {
  struct stat info = {};
  if (file.st_uid == static_cast<uid_t>(RawSyscall(SYS_geteuid)) || ReadStat(folder, info) != 0) return false;
  return (info.st_mode & S_ISVTX) != 0 && (info.st_mode & (S_IWGRP | S_IWOTH)) != 0 && file.st_uid != info.st_uid;
}

// Returns true if the file is a mount point (`docker run -v FILE:FILE`). No other file can get its name.
bool IsMounted(const char* path) {
  struct statx info = {};
  return !IsSyscallError(RawSyscall(SYS_statx, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, 0, &info)) &&
         (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

}  // namespace

bool FilePlace::IsOfTheKernel(int fd) {
  struct statfs info = {};
  return !IsSyscallError(RawSyscall(SYS_fstatfs, fd, &info)) && info.f_type == PROC_SUPER_MAGIC;
}

std::string_view FilePlace::folder() const {
  const std::string_view whole(file);
  const size_t slash = whole.rfind('/');
  return whole.substr(0, slash == std::string_view::npos ? 0 : slash + 1);
}

Fd FilePlace::OpenFolder() {
  const size_t bytes = folder().size();
  if (bytes == 0) return Fd::Open(".", O_PATH | O_DIRECTORY);
  const char first = file[bytes];
  // openat needs a terminated path, so the folder's part is terminated for the call.
  file[bytes] = '\0';
  Fd folder = Fd::Open(file, O_PATH | O_DIRECTORY);
  file[bytes] = first;
  return folder;
}

// Returns true if only another user may replace the file, although we may write it.
bool FilePlace::IsProtected(const struct stat& info, const Fd& folder) const {
  const auto user = static_cast<uid_t>(RawSyscall(SYS_geteuid));
  struct stat own = {};
  return user != 0 && info.st_uid != user && ReadStat(folder, own) == 0 && (own.st_mode & S_ISVTX) != 0 &&
         own.st_uid != user;
}

// Returns true if a folder of the path is a link that another user may have placed.
bool FilePlace::HasDoubtfulFolder() {
  for (size_t at = 0; file[at] != '\0'; ++at) {
    if (at == 0 || file[at] != '/') continue;
    file[at] = '\0';
    struct stat info = {};
    const bool is_link = ReadStat(file, AT_SYMLINK_NOFOLLOW, info) == 0 && S_ISLNK(info.st_mode);
    const bool is_doubtful = is_link && IsDoubtful(info, OpenFolder());
    file[at] = '/';
    if (is_doubtful) return true;
  }
  return false;
}

// Replaces `file` by the target of the link.
int FilePlace::Follow() {
  char text[kMaxBytes];
  const long bytes = RawSyscall(SYS_readlinkat, AT_FDCWD, file, text, sizeof(text));
  if (bytes <= 0) return bytes == 0 ? ENOENT : static_cast<int>(-bytes);
  // A relative target starts in the folder of the link.
  const size_t before = text[0] == '/' ? 0 : folder().size();
  if (before + static_cast<size_t>(bytes) >= sizeof(file)) return ENAMETOOLONG;
  memcpy(file + before, text, static_cast<size_t>(bytes));
  file[before + static_cast<size_t>(bytes)] = '\0';
  return 0;
}

int FilePlace::Find(const char* path) {
  const size_t bytes = strlen(path);
  if (bytes >= sizeof(file)) return ENAMETOOLONG;
  memcpy(file, path, bytes + 1);
  way = Way::kReplace;
  int error = ReadStat(path, 0, status);
  if (error != 0 && error != ENOENT) return error;
  exists = error == 0;
  if (exists && !S_ISREG(status.st_mode)) way = Way::kStream;
  for (int links = 0; links < kMaxLinks; ++links) {
    if (HasDoubtfulFolder()) return EACCES;
    const Fd folder_of = OpenFolder();
    // The target of a link in /proc/self/fd may have no other name, so the file is opened through the link. A
    // descriptor that is closed has no link.
    if (IsOfTheKernel(folder_of.number())) {
      if (!exists) return ENOENT;
      if (way == Way::kReplace) way = Way::kInPlace;
      return 0;
    }
    struct stat info = {};
    error = ReadStat(file, AT_SYMLINK_NOFOLLOW, info);
    if (error != 0) return error == ENOENT ? 0 : error;
    if (IsDoubtful(info, folder_of)) return EACCES;
    if (!S_ISLNK(info.st_mode)) {
      const bool is_kept = way == Way::kReplace && (IsMounted(file) || IsProtected(info, folder_of));
      if (exists && is_kept) way = Way::kInPlace;
      return 0;
    }
    error = Follow();
    if (error != 0) return error;
  }
  return ELOOP;
}

Fd FilePlace::Open(int flags) {
  const Fd folder_of = OpenFolder();
  // Links of /proc are the only ones that Find has not followed.
  const int no_follow = IsOfTheKernel(folder_of.number()) ? 0 : O_NOFOLLOW;
  Fd opened(static_cast<int>(
      RawSyscall(SYS_openat, folder_of.number(), name(), flags | no_follow | O_CLOEXEC | O_NOCTTY, 0)));
  struct stat info = {};
  if (!opened.ok() || ReadStat(opened, info) != 0) return opened;
  const bool is_same = info.st_dev == status.st_dev && info.st_ino == status.st_ino &&
                       (info.st_mode & S_IFMT) == (status.st_mode & S_IFMT);
  return is_same ? std::move(opened) : Fd(-EACCES);
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
