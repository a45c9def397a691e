#include "tools/ctl/controlled_session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "absl/strings/str_replace.h"
#include "geckoprof/segment/segment_format.h"
#include "geckoprof/segment/segment_view.h"
#include "tools/record/segment_archive.h"
#include "tools/record/session_contents.h"
#include "tools/record/session_directory.h"
#include "tools/recover/left_folder.h"
#include "tools/support/process_state.h"
#include "tools/text/concat.h"
#include "tools/text/errno_status.h"

namespace geckoprof {

struct ControlledSession::File {
  std::string name;
  SegmentName segment;  // its pid is 0 if the file is no segment
  struct stat info;
};

absl::StatusOr<ControlledSession> ControlledSession::Open(std::string path) {
  // With a slash at the end the kernel would follow a link.
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  Fd folder = Fd::Open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
  struct stat info = {};
  if (!folder.ok()) {
    const bool is_there = lstat(path.c_str(), &info) == 0;
    if (!is_there) return ErrnoStatus(errno, path);
    if (S_ISLNK(info.st_mode)) return absl::FailedPreconditionError(Concat(path, ": is a symbolic link"));
    if (S_ISDIR(info.st_mode)) return ErrnoStatus(folder.error(), path);
    return absl::FailedPreconditionError(
        Concat(path, ": is no session directory (geckoprof ctl list shows what there is)"));
  }
  if (fstat(folder.number(), &info) != 0) return ErrnoStatus(errno, path);
  if (geteuid() != 0 && info.st_uid != geteuid()) {
    return absl::PermissionDeniedError(Concat(path, ": belongs to another user"));
  }
  if ((info.st_mode & 0077) != 0) return absl::PermissionDeniedError(Concat(path, ": is open to other users"));
  ControlledSession session(std::move(path), std::move(folder));
  const auto is_of_recording = [](const File& file) {
    return file.segment.pid != 0 || file.name == kFilteredName || file.name == SessionDirectory::kCommandName ||
           file.name == kArchiveName;
  };
  if (!std::ranges::any_of(session.ListFiles(), is_of_recording)) {
    return absl::FailedPreconditionError(
        Concat(session.path(), ": is no session directory: nothing in it is of a recording"));
  }
  return session;
}

std::string ControlledSession::held_path() const { return Concat("/proc/self/fd/", folder_.number()); }

std::string ControlledSession::WithPath(std::string_view text) const {
  return absl::StrReplaceAll(absl::string_view(text.data(), text.size()), {{held_path(), path_}});
}

std::vector<ControlledSession::File> ControlledSession::ListFiles() const {
  std::vector<File> files;
  DIR* const folder = opendir(held_path().c_str());
  if (folder == nullptr) return files;
  while (const dirent* const entry = readdir(folder)) {
    File file = {entry->d_name, {}, {}};
    if (fstatat(folder_.number(), entry->d_name, &file.info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(file.info.st_mode)) continue;
    if (SegmentName name; name.Parse(file.name)) file.segment = name;
    files.push_back(std::move(file));
  }
  closedir(folder);
  return files;
}

ControlledSession::Members ControlledSession::FindMembers() const {
  Members members;
  const std::vector<File> files = ListFiles();
  // Most processes of the machine are other users', so this is asked for those alone that the session may mean.
  const auto lives = [&](pid_t pid) {
    return std::ranges::any_of(files, [&](const File& file) {
      return file.segment.pid == pid &&
             FileOwner::OfSegment(pid, Concat(held_path(), "/", file.name), file.info.st_mtime).Lives();
    });
  };
  std::vector<pid_t> pids = ProcessIds();
  std::ranges::sort(pids);
  for (const pid_t pid : pids) {
    absl::StatusOr<ControllableProcess> process = FindControllable(pid);
    if (absl::IsPermissionDenied(process.status()) && lives(pid)) members.errors.push_back(process.status());
    if (!process.ok()) continue;
    absl::StatusOr<RunningSegment> segment = FindRunningSegment(*process);
    struct stat info = {};
    if (!segment.ok() || fstat(segment->file.number(), &info) != 0) continue;
    const bool is_member = std::ranges::any_of(
        files, [&](const File& file) { return file.info.st_ino == info.st_ino && file.info.st_dev == info.st_dev; });
    if (is_member) members.recording.push_back({*std::move(process), *std::move(segment), AllocatedBytes(info)});
  }
  return members;
}

ControlledSession::Size ControlledSession::Measure(const Members& members) const {
  Size size;
  uint64_t capacity_bytes = 0, kept_bytes = 0;
  for (const Member& member : members.recording) {
    kept_bytes += member.bytes - LiveSegmentUse(*member.segment.view, member.bytes).counted_bytes();
  }
  for (const File& file : ListFiles()) {
    size.bytes += AllocatedBytes(file.info);
    if (file.segment.pid == 0) continue;
    ++size.recordings;
    // The recorder gives each process the limit of the session as its capacity.
    SegmentView view;
    if (view.OpenFile(Concat(held_path(), "/", file.name).c_str()) != SegmentView::OpenResult::kOk) continue;
    capacity_bytes = std::max(capacity_bytes, view.header().capacity_bytes);
  }
  size.counted_bytes = size.bytes - std::min(size.bytes, kept_bytes);
  if (capacity_bytes != 0) size.limit = SessionLimit::For(capacity_bytes, members.recording.size());
  if (const absl::StatusOr<ArchivedSegments> archive = ArchivedSegments::Open(held_path()); archive.ok()) {
    size.recordings += archive->List().size();
  }
  return size;
}

}  // namespace geckoprof
