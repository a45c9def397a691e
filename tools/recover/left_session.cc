#include "tools/recover/left_session.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "geckoprof/base/fd.h"
#include "geckoprof/segment/session_format.h"
#include "tools/profile/concat.h"
#include "tools/record/session_contents.h"
#include "tools/record/session_directory.h"

namespace geckoprof {
namespace {

constexpr std::string_view kDirectoryPrefix = "geckoprof-";
constexpr std::string_view kRemovedSuffix = ".old";  // SessionDirectory, while it removes
constexpr std::string_view kUnfinishedSuffix = ".new";
constexpr uint64_t kBlockBytes = 512;  // of st_blocks (stat(2))
// A recorder has made the directory and not yet locked it.
constexpr int64_t kNewDirectoryS = 10;

// What a name in a session directory says. pid 0: not of one process.
struct EntryName {
  int32_t pid = 0;
  bool is_segment = false;
  bool Parse(std::string_view name);
};

bool EntryName::Parse(std::string_view name) {
  if (name == kSessionFullName || name == SessionDirectory::kCommandName) return true;
  if (name.starts_with(kNotePrefix)) {
    name.remove_prefix(std::string_view(kNotePrefix).size());
    const auto result = std::from_chars(name.data(), name.data() + name.size(), pid);
    return result.ec == std::errc() && result.ptr == name.data() + name.size() && pid > 0;
  }
  is_segment = !name.ends_with(kUnfinishedSuffix);
  if (!is_segment) name.remove_suffix(kUnfinishedSuffix.size());
  SegmentName segment;
  if (!segment.Parse(name)) return false;
  pid = segment.pid;
  return true;
}

bool Lives(int32_t pid) { return pid > 0 && (kill(pid, 0) == 0 || errno != ESRCH); }

// The six characters of mkdtemp(3).
bool IsSessionName(std::string_view name) {
  if (!name.starts_with(kDirectoryPrefix)) return false;
  name.remove_prefix(kDirectoryPrefix.size());
  if (name.ends_with(kRemovedSuffix)) name.remove_suffix(kRemovedSuffix.size());
  return name.size() == 6 && std::all_of(name.begin(), name.end(), [](unsigned char c) { return isalnum(c) != 0; });
}

bool IsLocked(const std::string& directory) {
  const Fd folder = Fd::Open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  return folder.ok() && flock(folder.number(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

bool IsOwnDirectory(const std::string& path, struct stat& info) {
  return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
         (info.st_mode & 0077) == 0;
}

// Adds one entry of a directory. False: it is not of a recording.
bool AddEntry(const std::filesystem::directory_entry& entry, LeftSession& session) {
  EntryName name;
  struct stat info = {};
  const std::string path = entry.path().string();
  if (!name.Parse(entry.path().filename().string()) || lstat(path.c_str(), &info) != 0) return false;
  session.bytes += static_cast<uint64_t>(info.st_blocks) * kBlockBytes;
  session.changed_s = std::max<int64_t>(session.changed_s, info.st_mtime);
  if (name.is_segment && S_ISREG(info.st_mode)) session.segments.push_back(path);
  session.in_use = session.in_use || Lives(name.pid);
  return true;
}

void AddDirectory(const std::string& path, const struct stat& info, std::vector<LeftSession>& sessions) {
  LeftSession session;
  session.path = path;
  session.changed_s = info.st_mtime;
  bool is_empty = true;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    if (!AddEntry(*entry, session)) return;
    is_empty = false;
  }
  const bool is_new = is_empty && time(nullptr) - info.st_mtime < kNewDirectoryS;
  session.in_use = session.in_use || is_new || IsLocked(path);
  std::sort(session.segments.begin(), session.segments.end());
  sessions.push_back(std::move(session));
}

void AddFilesOfUser(const std::string& path, std::vector<LeftSession>& sessions) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    LeftSession session;
    session.path = entry->path().string();
    if (AddEntry(*entry, session)) sessions.push_back(std::move(session));
  }
}

}  // namespace

int LeftSession::Remove() const {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  return error.value();
}

std::vector<LeftSession> FindLeftSessions(const std::vector<std::string>& parents) {
  std::vector<LeftSession> sessions;
  const std::string of_user = Concat(kDirectoryPrefix, geteuid());
  for (const std::string& parent : parents) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      const std::string path = entry->path().string();
      struct stat info = {};
      if ((name != of_user && !IsSessionName(name)) || !IsOwnDirectory(path, info)) continue;
      if (name == of_user) {
        AddFilesOfUser(path, sessions);
      } else {
        AddDirectory(path, info, sessions);
      }
    }
  }
  const auto by_path = [](const LeftSession& a, const LeftSession& b) { return a.path < b.path; };
  std::sort(sessions.begin(), sessions.end(), by_path);
  const auto same = [](const LeftSession& a, const LeftSession& b) { return a.path == b.path; };
  sessions.erase(std::unique(sessions.begin(), sessions.end(), same), sessions.end());
  return sessions;
}

}  // namespace geckoprof
