#include "tools/recover/left_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <system_error>

#include "geckoprof/base/clock.h"
#include "geckoprof/segment/segment_format.h"
#include "geckoprof/segment/segment_view.h"
#include "tools/record/counter_file.h"
#include "tools/record/launch_environment.h"
#include "tools/record/public_library.h"
#include "tools/record/segment_archive.h"
#include "tools/record/session_contents.h"
#include "tools/record/session_directory.h"
#include "tools/record/unrecorded_processes.h"
#include "tools/support/private_folder.h"
#include "tools/support/process_state.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

int64_t NowNs(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

}  // namespace

FileOwner FileOwner::OfSegment(pid_t pid, const std::string& path, int64_t file_changed_s) {
  FileOwner owner{.pid = pid, .file_changed_s = file_changed_s};
  SegmentView view;
  if (view.OpenFile(path.c_str()) != SegmentView::OpenResult::kOk) return owner;
  owner.start_ticks = view.header().process_start_ticks;
  owner.running_ns = view.header().constructor_ns;
  return owner;
}

bool FileOwner::Lives() const {
  if (!ProcessLives(pid)) return false;
  const std::optional<ProcessState> state = ReadProcessState(pid);
  if (!state.has_value()) return true;  // without /proc nothing tells the processes apart
  if (start_ticks != 0) return state->start_ticks == start_ticks;
  // The kernel's times of processes go on while the machine sleeps, and ours do not. So the process began at this time
  // or later.
  const int64_t boot_ns = NowNs(CLOCK_BOOTTIME), monotonic_ns = NowNs(CLOCK_MONOTONIC);
  const int64_t began_ns = state->StartNs() - (boot_ns - monotonic_ns);
  if (running_ns > monotonic_ns) return false;  // it ran before the machine's last start
  if (running_ns != 0) return began_ns <= running_ns;
  constexpr int64_t kRoundingS = 2;
  const int64_t began_s = NowNs(CLOCK_REALTIME) / kNsPerSecond - (boot_ns - state->StartNs()) / kNsPerSecond;
  return began_s <= file_changed_s + kRoundingS;
}

namespace {

constexpr std::string_view kAnyTarget = "1 ";  // of a mark, whose name alone is asked for

Fd OpenAt(const Fd& folder, const char* name, int flags) {
  const int number = openat(folder.number(), name, flags | O_CLOEXEC);
  return Fd(number >= 0 ? number : -errno);
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

// What an entry's name says of it. False: it is not of a recording.
bool ParseName(std::string_view name, LeftFolder::Entry& entry, mode_t& kind) {
  kind = S_IFREG;
  for (const std::string_view known :
       {kSessionFullName, kFilteredName, SessionDirectory::kCommandName, kCounterFileName, kCounterFileNextName}) {
    if (name == known) return true;
  }
  if (IsArchiveFile(name)) return true;
  if (name.starts_with(kNotePrefix)) {
    kind = S_IFLNK;
    name.remove_prefix(std::string_view(kNotePrefix).size());
    const auto result = std::from_chars(name.data(), name.data() + name.size(), entry.pid);
    return result.ec == std::errc() && result.ptr == name.data() + name.size() && entry.pid > 0;
  }
  if (MarkedChild child; name.starts_with(kChildPrefix)) {
    kind = S_IFLNK;
    const bool is_mark = child.Parse(name, kAnyTarget);
    entry.pid = child.pid;
    entry.begin_ns = child.begin_ns;
    return is_mark;
  }
  SegmentName segment;
  if (!segment.Parse(name)) return false;
  entry.is_segment = true;
  entry.pid = segment.pid;
  return true;
}

}  // namespace

LeftFolder::LeftFolder(const std::string& parent, const std::string& name)
    : name_(name),
      is_library_(PublicLibrary::IsFolderName(name)),
      parent_(Fd::Open(parent.c_str(), O_PATH | O_DIRECTORY)) {
  if (is_library_) only_file_ = kBaseLibrary;
  if (PrivateFolder::IsName(name, kPageFolderPrefix)) only_file_ = kPageFileName;
  if (!parent_.ok()) return;
  folder_ = OpenAt(parent_, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
  if (is_library_ && faccessat(folder_.number(), kHooksLibrary.data(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    only_file_ = kHooksLibrary;
  }
  struct stat info = {};
  if (!folder_.ok()) return;
  if (fstat(folder_.number(), &info) != 0 || info.st_uid != geteuid() || !IsMode(info.st_mode & 0777)) {
    folder_.Close();
    return;
  }
  changed_s_ = info.st_mtime;
  device_ = info.st_dev;
  inode_ = info.st_ino;
}

// A copy of the library has its own mode when it is complete.
bool LeftFolder::IsMode(mode_t mode) const { return mode == 0700 || (is_library_ && mode == 0755); }

std::string LeftFolder::path() const { return Concat("/proc/self/fd/", folder_.number()); }

bool LeftFolder::List(std::vector<Entry>& entries) const {
  // A description of its own: closedir must not give the lock up, nor two lists share a position.
  const int number = openat(folder_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, CloseFolder> folder(number >= 0 ? fdopendir(number) : nullptr);
  if (folder == nullptr) {
    if (number >= 0) close(number);
    return false;
  }
  bool is_whole = true;
  for (;;) {
    errno = 0;
    const dirent* const found = readdir(folder.get());
    if (found == nullptr) break;
    const std::string_view name = found->d_name;
    if (name == "." || name == "..") continue;
    Entry entry;
    entry.name = name;
    mode_t kind = S_IFREG;
    struct stat info = {};
    const bool has_name = only_file_.empty() ? ParseName(name, entry, kind) : name == only_file_;
    if (fstatat(folder_.number(), found->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
      is_whole = is_whole && errno == ENOENT;  // gone since: it got its other name, for instance
    } else if (!has_name || (info.st_mode & S_IFMT) != kind) {
      is_whole = false;
    } else {
      entry.bytes = AllocatedBytes(info);
      entry.changed_s = info.st_mtime;
      entry.device = info.st_dev;
      entry.inode = info.st_ino;
      entries.push_back(std::move(entry));
    }
  }
  is_whole = is_whole && errno == 0;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return is_whole;
}

int LeftFolder::Lock(int operation) const { return flock(folder_.number(), operation | LOCK_NB) == 0 ? 0 : errno; }

bool LeftFolder::OwnerLives(const Entry& entry) const {
  if (!ProcessLives(entry.pid)) return false;  // most have ended, and then no file need be read
  const FileOwner owner =
      entry.is_segment ? FileOwner::OfSegment(entry.pid, Concat(path(), "/", entry.name), entry.changed_s)
                       : FileOwner{.pid = entry.pid, .running_ns = entry.begin_ns, .file_changed_s = entry.changed_s};
  return owner.Lives();
}

bool LeftFolder::Holds(const Entry& entry) const {
  struct stat info = {};
  return fstatat(folder_.number(), entry.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
         info.st_dev == entry.device && info.st_ino == entry.inode;
}

int LeftFolder::Remove(const Entry& entry) const {
  return unlinkat(folder_.number(), entry.name.c_str(), 0) == 0 ? 0 : errno;
}

int LeftFolder::RemoveFolder() const {
  struct stat info = {};
  if (fstatat(parent_.number(), name_.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return errno;
  if (info.st_dev != device_ || info.st_ino != inode_) return ENOENT;  // it has another name by now
  return unlinkat(parent_.number(), name_.c_str(), AT_REMOVEDIR) == 0 ? 0 : errno;
}

}  // namespace geckoprof
