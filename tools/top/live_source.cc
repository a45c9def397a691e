#include "tools/top/live_source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "geckoprof/reader/segment_reader.h"
#include "tools/record/session_contents.h"
#include "tools/record/session_directory.h"
#include "tools/recover/left_folder.h"
#include "tools/recover/left_session.h"
#include "tools/support/process_state.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

SegmentName NameOf(const std::string& path) {
  SegmentName name;
  if (!name.Parse(FileName(path))) name.pid = 0;
  return name;
}

// The folder in which a process keeps its segment; empty: none.
std::string DirectoryOf(int32_t pid, const std::vector<LeftSession>& sessions) {
  for (const LeftSession& session : sessions) {
    if (session.folder.ends_with(kRemovedSessionSuffix)) continue;  // it may be a snapshot
    for (const std::string& segment : session.segments) {
      if (NameOf(segment).pid == pid) return Concat(session.parent, "/", session.folder);
    }
  }
  return "";
}

// The session directory of a recorder; empty: the process is none.
std::string DirectoryOfRecorder(int32_t pid, const std::vector<LeftSession>& sessions) {
  for (const LeftSession& session : sessions) {
    if (!session.file.empty()) continue;  // of a process without a recorder
    for (const std::string& segment : session.segments) {
      const std::optional<ProcessState> state = ReadProcessState(NameOf(segment).pid);
      if (state.has_value() && state->parent == pid) return session.path;
    }
  }
  return "";
}

}  // namespace

absl::StatusOr<LiveSource> LiveSource::Find(const std::string& target) {
  LiveSource source;
  int32_t pid = 0;
  const auto [end, error] = std::from_chars(target.data(), target.data() + target.size(), pid);
  if (error == std::errc() && end == target.data() + target.size()) {
    if (pid <= 0) return absl::InvalidArgumentError(Concat(target, " is no process"));
    const std::vector<LeftSession> sessions = FindLeftSessions(PrivateFolder::Parents());  // this user's
    source.pid_ = pid;
    source.directory_ = DirectoryOf(pid, sessions);
    if (!source.directory_.empty()) return source;
    source.pid_ = 0;
    source.directory_ = DirectoryOfRecorder(pid, sessions);
    if (!source.directory_.empty()) return source;
    return absl::NotFoundError(ProcessLives(pid) ? Concat("process ", pid, " is not being recorded by this user")
                                                 : Concat("there is no process ", pid));
  }
  struct stat status;
  if (stat(target.c_str(), &status) != 0) return absl::NotFoundError(Concat(target, ": ", strerror(errno)));
  if (S_ISDIR(status.st_mode)) {
    source.directory_ = target;
  } else if (S_ISREG(status.st_mode)) {
    source.segment_ = target;
  } else {
    return absl::InvalidArgumentError(Concat(target, ": is neither a session directory nor a segment file"));
  }
  return source;
}

std::vector<std::string> LiveSource::Segments() const {
  if (directory_.empty()) return {segment_};
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory_, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string path = entry->path().string();
    const int32_t pid = NameOf(path).pid;
    if (pid != 0 && (pid_ == 0 || pid == pid_)) paths.push_back(path);
  }
  // Of the programs that a process ran one after the other only the last one runs.
  std::sort(paths.begin(), paths.end(), [](const std::string& a, const std::string& b) {
    const SegmentName name_a = NameOf(a), name_b = NameOf(b);
    return std::pair(name_a.pid, name_b.image) < std::pair(name_b.pid, name_a.image);
  });
  const auto same = [](const std::string& a, const std::string& b) { return NameOf(a).pid == NameOf(b).pid; };
  paths.erase(std::unique(paths.begin(), paths.end(), same), paths.end());
  return paths;
}

LiveSource::Contents LiveSource::Read() const {
  Contents out;
  std::vector<std::string> paths = Segments();
  // The kernel may have given the id to another process.
  const auto lives = [](const std::string& path) {
    struct stat status = {};
    const bool is_there = stat(path.c_str(), &status) == 0;
    return FileOwner::OfSegment(NameOf(path).pid, path, is_there ? status.st_mtime : 0).Lives();
  };
  out.any_lives = std::any_of(paths.begin(), paths.end(), lives);
  if (out.any_lives) std::erase_if(paths, [&lives](const std::string& path) { return !lives(path); });
  for (const std::string& path : paths) {
    struct stat status;  // no FIFO, no device
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    ProcessProfile process;
    const SegmentReadStatus read = ReadSegmentFile(path.c_str(), process).status;
    const bool is_damaged = read == SegmentReadStatus::kDamaged;
    if (read != SegmentReadStatus::kOk && (!is_damaged || process.threads.empty())) continue;
    out.any_damaged |= is_damaged;
    out.processes.push_back(std::move(process));
  }
  return out;
}

}  // namespace geckoprof
