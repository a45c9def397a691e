#include "tools/recover/left_session.h"

#include <errno.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "tools/record/public_library.h"
#include "tools/record/session_directory.h"
#include "tools/recover/left_folder.h"
#include "tools/support/private_folder.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

using Entry = LeftFolder::Entry;

// A recorder has made the directory and not yet locked it.
constexpr int64_t kNewDirectoryS = 10;

bool IsSessionName(std::string_view name) {
  constexpr std::string_view kSuffix = kRemovedSessionSuffix;
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  return PrivateFolder::IsName(name, SessionDirectory::kPrefix);
}

// Returns whether processes of this user without a recorder write there: geckoprof-<uid>, or geckoprof-<uid>-<time>
// where another user has that name.
bool IsUserFolder(std::string_view name) {
  const std::string shared = Concat(SessionDirectory::kPrefix, geteuid());
  if (!name.starts_with(shared)) return false;
  name.remove_prefix(shared.size());
  return name.empty() ||
         (name.size() > 1 && name[0] == '-' && name.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

// Of a session directory's entries; the recorder's lock is not asked for.
bool IsUsed(const LeftFolder& folder, const std::vector<Entry>& entries) {
  if (entries.empty()) return time(nullptr) - folder.changed_s() < kNewDirectoryS;
  if (folder.is_library()) return PublicLibrary::IsUsed(folder.name(), folder.changed_s());
  return std::ranges::any_of(entries, [&folder](const Entry& entry) { return folder.OwnerLives(entry); });
}

void Add(const Entry& entry, LeftSession& session) {
  session.bytes += entry.bytes;
  session.changed_s = std::max(session.changed_s, entry.changed_s);
  if (entry.is_segment) session.segments.push_back(entry.name);
}

void AddDirectory(const LeftFolder& folder, LeftSession session, std::vector<LeftSession>& sessions) {
  std::vector<Entry> entries;
  if (!folder.List(entries)) return;
  session.changed_s = folder.changed_s();
  for (const Entry& entry : entries) Add(entry, session);
  session.in_use = IsUsed(folder, entries) || folder.Lock(LOCK_SH) == EWOULDBLOCK;
  sessions.push_back(std::move(session));
}

// A recorder's files are none of a process without one.
std::vector<Entry> FilesOfProcesses(const LeftFolder& folder) {
  std::vector<Entry> entries;
  static_cast<void>(folder.List(entries));  // whatever else lies there is passed over
  std::erase_if(entries, [](const Entry& entry) { return entry.pid == 0; });
  return entries;
}

void AddFilesOfUser(const LeftFolder& folder, const LeftSession& whole, std::vector<LeftSession>& sessions) {
  for (const Entry& entry : FilesOfProcesses(folder)) {
    LeftSession session = whole;
    session.path = Concat(whole.path, "/", entry.name);
    session.file = entry.name;
    Add(entry, session);
    session.in_use = folder.OwnerLives(entry);
    sessions.push_back(std::move(session));
  }
}

// Looks at each file once more right before it goes: a new process of its number may have come.
LeftSession::Removal RemoveEntries(const LeftFolder& folder, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    if (folder.OwnerLives(entry) || !folder.Holds(entry)) return {LeftSession::Outcome::kInUse};
    const int error = folder.Remove(entry);
    if (error != 0) return {LeftSession::Outcome::kFailed, error};
  }
  return {};
}

}  // namespace

LeftSession::Removal LeftSession::Remove() const {
  const LeftFolder left(parent, folder);
  if (!left.ok()) return {Outcome::kChanged};
  const int lock_error = left.Lock(LOCK_EX);
  if (lock_error == EWOULDBLOCK) return {Outcome::kInUse};
  if (lock_error != 0) return {Outcome::kFailed, lock_error};
  if (!file.empty()) {
    std::vector<Entry> entries = FilesOfProcesses(left);
    std::erase_if(entries, [this](const Entry& entry) { return entry.name != file; });
    return entries.empty() ? Removal{Outcome::kChanged} : RemoveEntries(left, entries);
  }
  std::vector<Entry> entries;
  if (!left.List(entries)) return {Outcome::kChanged};
  if (IsUsed(left, entries)) return {Outcome::kInUse};
  const Removal removal = RemoveEntries(left, entries);
  if (removal.outcome != Outcome::kRemoved) return removal;
  const int error = left.RemoveFolder();
  if (error == ENOTEMPTY || error == EEXIST) return {Outcome::kInUse};  // a process has just joined
  return error == 0 ? Removal{} : Removal{Outcome::kFailed, error};
}

std::vector<LeftSession> FindLeftSessions(const std::vector<std::string>& parents) {
  std::vector<LeftSession> sessions;
  for (const std::string& parent : parents) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      const bool is_library = geteuid() == 0 && PublicLibrary::IsFolderName(name);
      const bool is_of_user = IsUserFolder(name);
      const bool is_page = PrivateFolder::IsName(name, kPageFolderPrefix);
      if (!is_of_user && !is_library && !is_page && !IsSessionName(name)) continue;
      const LeftFolder folder(parent, name);
      if (!folder.ok()) continue;
      LeftSession session;
      session.path = entry->path().string();
      session.parent = parent;
      session.folder = name;
      session.only_file = folder.only_file();
      if (is_of_user) {
        AddFilesOfUser(folder, session, sessions);
      } else {
        AddDirectory(folder, std::move(session), sessions);
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
