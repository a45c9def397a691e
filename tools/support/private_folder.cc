#include "tools/support/private_folder.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "tools/text/concat.h"
#include "tools/text/errno_status.h"

namespace geckoprof {
namespace {

// Returns true in a user namespace that does not know all users of the machine.
bool AreUsersUnknown() {
  std::string map;
  return ReadWholeFile("/proc/self/uid_map", map) == 0 && map.find("4294967295") == std::string::npos;
}

// Checks a folder, or a symbolic link on the way to one.
absl::Status CheckOne(const std::string& folder, const struct stat& info) {
  constexpr uid_t kUnknownUser = 65534;  // the kernel's overflow uid
  const bool is_link = S_ISLNK(info.st_mode);
  if (!is_link && !S_ISDIR(info.st_mode)) return absl::FailedPreconditionError(Concat(folder, " is no folder"));
  const bool is_owner_known =
      info.st_uid == 0 || info.st_uid == geteuid() || (info.st_uid == kUnknownUser && AreUsersUnknown());
  if (!is_owner_known) return absl::PermissionDeniedError(Concat(folder, " belongs to another user"));
  if (!is_link && (info.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (info.st_mode & S_ISVTX) == 0) {
    return absl::PermissionDeniedError(Concat("other users may write to ", folder));
  }
  return absl::OkStatus();
}

// The XDG base directory specification asks for this of $XDG_RUNTIME_DIR. After su(1) it may be another user's.
bool IsOwn(const std::string& folder) {
  struct stat info = {};
  return lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
         (info.st_mode & 0777) == 0700;
}

std::string FromEnvironment(const char* name) {
  const char* const value = getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

absl::Status CheckTrusted(const std::string& folder) {
  constexpr int kMostLinks = 40;  // as the kernel
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(folder, error);
  if (error) return ErrnoStatus(error.value(), folder);
  std::deque<std::filesystem::path> rest(whole.begin(), whole.end());
  std::filesystem::path place;
  // The same way as the kernel's, so that each folder and link by which it comes to the end is checked.
  for (int links = 0; !rest.empty();) {
    const std::filesystem::path part = std::move(rest.front());
    rest.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      place = place.parent_path();
      continue;
    }
    const std::filesystem::path next = place / part;
    struct stat info = {};
    if (lstat(next.c_str(), &info) != 0) return errno == ENOENT ? absl::OkStatus() : ErrnoStatus(errno, next.native());
    if (absl::Status status = CheckOne(next, info); !status.ok()) return status;
    if (!S_ISLNK(info.st_mode)) {
      place = next;
      continue;
    }
    if (++links > kMostLinks) return ErrnoStatus(ELOOP, folder);
    const std::filesystem::path target = std::filesystem::read_symlink(next, error);
    if (error) return ErrnoStatus(error.value(), next.native());
    rest.insert(rest.begin(), target.begin(), target.end());
    if (target.is_absolute()) place.clear();
  }
  return absl::OkStatus();
}

std::vector<std::string> PrivateFolder::Parents() {
  std::string runtime = FromEnvironment("XDG_RUNTIME_DIR");
  if (!IsOwn(runtime)) runtime.clear();
  std::vector<std::string> parents = {runtime, "/dev/shm", FromEnvironment("TMPDIR"), "/tmp"};
  std::erase(parents, "");
  return parents;
}

bool PrivateFolder::IsName(std::string_view name, std::string_view prefix) {
  constexpr size_t kRandomBytes = 6;  // of mkdtemp(3)
  return name.size() == prefix.size() + kRandomBytes && name.starts_with(prefix) &&
         std::all_of(name.begin() + prefix.size(), name.end(), [](unsigned char c) { return isalnum(c) != 0; });
}

absl::StatusOr<PrivateFolder> PrivateFolder::Make(const std::string& parent, std::string_view prefix) {
  if (absl::Status trusted = CheckTrusted(parent); !trusted.ok()) return trusted;
  std::error_code error;
  const std::string place = std::filesystem::canonical(parent, error);
  if (error) return ErrnoStatus(error.value(), parent);
  PrivateFolder folder;
  folder.path = Concat(place == "/" ? "" : place, "/", prefix, "XXXXXX");
  if (mkdtemp(folder.path.data()) == nullptr) return ErrnoStatus(errno, parent);
  chmod(folder.path.c_str(), 0700);  // the umask may have taken rights away
  folder.lock = Fd::Open(folder.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  struct stat info = {};
  if (!folder.lock.ok() || fstat(folder.lock.number(), &info) != 0 || info.st_uid != geteuid() ||
      (info.st_mode & 07777) != 0700) {
    rmdir(folder.path.c_str());
    return absl::PermissionDeniedError(Concat(folder.path, " cannot be kept private"));
  }
  // At most a `recover --list` has it, for a moment. On a file system without locks the folder looks left behind.
  flock(folder.lock.number(), LOCK_EX);
  return folder;
}

}  // namespace geckoprof
