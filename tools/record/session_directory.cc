#include "tools/record/session_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "geckoprof/base/fd.h"
#include "geckoprof/segment/segment_format.h"
#include "tools/support/private_folder.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// Below this not even the header, the directory and two chunks fit.
constexpr uint64_t kLeastFreeBytes = uint64_t{1} << 20;

struct Parent {
  std::string path;
  uint64_t free_bytes = 0;
};

// Best first: those with enough room in the order given, then the others by room.
std::vector<Parent> RankParents(const std::vector<std::string>& paths, uint64_t enough_bytes) {
  std::vector<Parent> parents;
  for (const std::string& path : paths) {
    struct statvfs file_system;
    if (path.empty() || path.front() != '/' || statvfs(path.c_str(), &file_system) != 0) continue;
    parents.push_back({path, uint64_t{file_system.f_bavail} * file_system.f_frsize});
  }
  std::stable_sort(parents.begin(), parents.end(), [enough_bytes](const Parent& a, const Parent& b) {
    return std::min(a.free_bytes, enough_bytes) > std::min(b.free_bytes, enough_bytes);
  });
  return parents;
}

}  // namespace

absl::StatusOr<SessionDirectory> SessionDirectory::Create(uint64_t capacity_bytes) {
  return CreateBelow(PrivateFolder::Parents(), capacity_bytes);
}

SessionDirectory::SessionDirectory(PrivateFolder folder, uint64_t free_bytes)
    : path_(std::move(folder.path)), free_bytes_(free_bytes), lock_(std::move(folder.lock)) {
  // segment_format.h. Where the file system keeps no such times nobody learns of those processes.
  const Fd filtered = MakeFile(kFilteredName);
  const timespec times[] = {{0, 0}, {0, UTIME_OMIT}};
  futimens(filtered.number(), times);
}

absl::StatusOr<SessionDirectory> SessionDirectory::CreateBelow(const std::vector<std::string>& parents,
                                                               uint64_t capacity_bytes) {
  std::string tried;
  for (const Parent& parent : RankParents(parents, capacity_bytes)) {
    if (parent.free_bytes < kLeastFreeBytes) {
      tried += Concat(tried.empty() ? "" : "; ", parent.path, " is full");
      continue;
    }
    absl::StatusOr<PrivateFolder> folder = PrivateFolder::Make(parent.path, kPrefix);
    if (folder.ok()) return SessionDirectory(*std::move(folder), parent.free_bytes);
    tried += Concat(tried.empty() ? "" : "; ", std::string(folder.status().message()));
  }
  if (tried.empty()) tried = "$XDG_RUNTIME_DIR, /dev/shm, $TMPDIR and /tmp do not exist";
  return absl::ResourceExhaustedError(
      Concat("no folder for the recorded data (", tried, "); set TMPDIR to one with 1 MiB or more free"));
}

std::string SessionDirectory::held_path() const { return Concat("/proc/self/fd/", lock_.number()); }

Fd SessionDirectory::MakeFile(const char* name) const {
  Fd file = Fd::Open(Concat(path_, "/", name).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  fchmod(file.number(), 0600);  // the umask may have taken rights away
  return file;
}

void SessionDirectory::NoteCommand(std::span<char* const> words) const {
  std::string text;
  for (const char* const word : words) text.append(word).push_back('\0');
  const Fd file = MakeFile(kCommandName);
  const ssize_t ignored = write(file.number(), text.data(), text.size());
  static_cast<void>(ignored);
}

void SessionDirectory::Remove() {
  if (path_.empty()) return;
  // Under another name first: a process that outlives the program and begins to record just now finds no folder,
  // instead of putting a file into one that is being emptied.
  std::error_code error;
  const std::string name = path_ + kRemovedSessionSuffix;
  std::filesystem::rename(path_, name, error);
  lock_.Close();  // where descriptors are few, removing needs this one
  std::filesystem::remove_all(error ? path_ : name, error);
  path_.clear();
}

}  // namespace geckoprof
