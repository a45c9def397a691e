#include "tools/record/session_snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "tools/record/segment_archive.h"
#include "tools/record/session_directory.h"
#include "tools/support/private_folder.h"
#include "tools/text/concat.h"
#include "tools/text/errno_status.h"

namespace geckoprof {

namespace {

// Returns the names of the files in a folder, with the archives at the end. A segment that the recorder archives
// meanwhile is in one of these then.
std::vector<std::string> FilesIn(const Fd& folder) {
  std::vector<std::string> files, archives;
  const int copy = openat(folder.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const entries = copy >= 0 ? fdopendir(copy) : nullptr;
  if (entries == nullptr) return files;
  while (const dirent* const entry = readdir(entries)) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    (IsArchiveFile(name) ? archives : files).emplace_back(name);
  }
  closedir(entries);
  files.insert(files.end(), archives.begin(), archives.end());
  return files;
}

}  // namespace

absl::StatusOr<SessionSnapshot> SessionSnapshot::Make(const std::string& session, const std::string& parent) {
  const Fd folder = Fd::Open(session.c_str(), O_RDONLY | O_DIRECTORY);
  if (!folder.ok()) return ErrnoStatus(folder.error(), session);
  absl::StatusOr<PrivateFolder> made = PrivateFolder::Make(parent, SessionDirectory::kPrefix);
  if (!made.ok()) return made.status();
  SessionSnapshot snapshot(made->path, std::move(made->lock));
  const std::string path = made->path + kRemovedSessionSuffix;
  if (rename(snapshot.path_.c_str(), path.c_str()) == 0) snapshot.path_ = path;
  for (const std::string& name : FilesIn(folder)) {
    const std::string to = Concat(snapshot.path_, "/", name);
    if (linkat(folder.number(), name.c_str(), AT_FDCWD, to.c_str(), 0) == 0) continue;
    // A file that is gone by now is not needed any more.
    if (errno != ENOENT) return ErrnoStatus(errno, Concat("cannot link the files of ", session));
  }
  return snapshot;
}

void SessionSnapshot::Remove() {
  if (path_.empty()) return;
  std::error_code error;
  std::filesystem::remove_all(path_, error);
  lock_.Close();
  path_.clear();
}

}  // namespace geckoprof
