#include "tools/record/session_contents.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "geckoprof/base/fd.h"
#include "geckoprof/reader/profile_facts.h"
#include "geckoprof/reader/segment_reader.h"
#include "geckoprof/segment/session_format.h"
#include "tools/convert/recorded_session.h"
#include "tools/profile/concat.h"
#include "tools/profile/terminal_text.h"
#include "tools/record/session_directory.h"
#include "tools/support/pid_namespaces.h"

namespace geckoprof {
namespace {

constexpr size_t kMaxReasonBytes = 200;

// Decimal digits only, no leading zero: exactly what the library writes.
template <typename Number>
bool ParseExactly(std::string_view text, Number* number) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *number);
  return result.ec == std::errc() && Concat(*number) == text;
}

// Text from a file system, for a terminal.
std::string Printable(std::string_view text) { return CleanText(text.substr(0, kMaxReasonBytes)); }

// A note's word in a sentence's.
std::string WhyNotRecorded(const std::string& reason) {
  if (reason == kNoteNoSpace) return "no room for its data (a full file system, or a low ulimit -f or -v)";
  if (reason == kNoteNoMemory) return "no memory for its data";
  return reason;
}

// Whether a file that was made with a time of last access in 1970 has been read since.
bool WasRead(const std::string& path) {
  struct stat info = {};
  return lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_atim.tv_sec != 0;
}

std::string WhyUnread(const SegmentReadResult& result) {
  switch (result.status) {
    case SegmentReadStatus::kOk:
      break;
    case SegmentReadStatus::kCannotOpen:
      return Concat("cannot be opened: ", strerror(result.error));
    case SegmentReadStatus::kNotASegment:
      return "is not a segment";
    case SegmentReadStatus::kNewerVersion:
      return "was written by a newer version of the library; use the geckoprof that belongs to it";
    case SegmentReadStatus::kDamaged:
      return "is damaged: only a part of it could be read";
  }
  return "";
}

// A segment whose process ended, or called exec, while it was being made: empty, or zero where the magic goes.
bool IsUnfinished(const std::string& path) {
  uint8_t start[8] = {};
  const Fd file = Fd::Open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  return file.ok() && file.ReadAt(0, start) >= 0 &&
         std::all_of(std::begin(start), std::end(start), [](uint8_t b) { return b == 0; });
}

// Where a segment bears its own name, and a damaged header says something else, the name is right: two processes with
// the same ids would be one to a viewer.
void TakeNameFromFile(const std::string& path, ProcessProfile& process) {
  SegmentName name;
  if (!name.Parse(std::string_view(path).substr(path.rfind('/') + 1))) return;
  for (ThreadRow& thread : process.threads) {
    if (thread.is_main && thread.tid == process.pid) thread.tid = name.pid;
  }
  process.pid = name.pid;
  process.image = name.image;
}

// Forked children of which there is nothing else.
void AddMarked(const std::vector<MarkedChild>& marked, std::vector<ProcessProfile>& processes) {
  if (processes.empty()) return;
  std::vector<ProcessProfile> added;
  for (const MarkedChild& child : marked) {
    if (!child.IsAmong(processes)) added.push_back(child.ToProcess(processes));
  }
  std::move(added.begin(), added.end(), std::back_inserter(processes));
}

// Two containers, say, have a process 1 each. The namespace of the one that began first counts as that of the others
// that do not tell theirs, too.
void NumberPidSpaces(std::vector<ProcessProfile>& processes) {
  std::vector<ProcessProfile*> by_start;
  by_start.reserve(processes.size());
  for (ProcessProfile& process : processes) by_start.push_back(&process);
  std::stable_sort(by_start.begin(), by_start.end(), [](const ProcessProfile* a, const ProcessProfile* b) {
    return std::tie(a->start_ns, a->image) < std::tie(b->start_ns, b->image);
  });
  std::map<int32_t, std::vector<uint32_t>> namespaces;  // by pid
  for (ProcessProfile* const process : by_start) {
    if (process->pid_namespace == 0) continue;
    std::vector<uint32_t>& known = namespaces[process->pid];
    const auto place = std::find(known.begin(), known.end(), process->pid_namespace);
    process->pid_space = static_cast<uint32_t>(place - known.begin());
    if (place == known.end()) known.push_back(process->pid_namespace);
  }
}

// How a program ended that another one followed: whatever ended its recording before is worth telling.
std::string BeforeExec(const std::string& end_reason) {
  for (const std::string_view usual : {"", "alive", "exec", "exited", "unknown"}) {
    if (end_reason == usual) return "exec";
  }
  return Concat("exec (sampling had ended before: ", end_reason, ")");
}

// Exec gives a process another name, which it may also give itself: then its main thread has it in the profile.
bool WasFollowedUnrecorded(const ProcessProfile& process, const SessionContents::KnownEnd& end) {
  if (end.name.empty() || process.command_name.empty() || end.name == process.command_name) return false;
  return std::none_of(process.threads.begin(), process.threads.end(), [&end](const ThreadRow& thread) {
    return thread.is_main && thread.name.substr(0, end.name.size()) == end.name;
  });
}

void TakeKnownEnd(const SessionContents::KnownEnd& end, bool has_told_why, ProcessProfile& process) {
  process.end_reason = end.how;
  if (!WasFollowedUnrecorded(process, end)) return;
  process.end_reason = "exec (not recorded afterwards)";
  if (has_told_why || process.is_separated) return;
  process.problems.emplace_back(
      "Another program seems to have followed by exec that was not recorded: it is statically linked or "
      "privileged, or was started without LD_PRELOAD or the GECKOPROF_ variables");
}

// A process that ended before its first sample has lived all the same: it gets its main thread, without samples.
void AddMainThread(ProcessProfile& process) {
  ThreadRow main;
  main.tid = process.pid;
  main.name = ProgramName(process);
  main.is_main = true;
  main.registered_ns = process.start_ns;
  process.threads.push_back(std::move(main));
}

}  // namespace

bool SegmentName::Parse(std::string_view file_name) {
  if (!file_name.ends_with(kSegmentSuffix)) return false;
  file_name.remove_suffix(std::string_view(kSegmentSuffix).size());
  const size_t dash = file_name.find('-');
  if (dash == std::string_view::npos) return false;
  return ParseExactly(file_name.substr(0, dash), &pid) && pid > 0 && ParseExactly(file_name.substr(dash + 1), &image);
}

std::vector<std::string> ReadSessionCommand(const std::string& directory) {
  constexpr size_t kMostBytes = size_t{128} << 10;
  const std::string path = Concat(directory, "/", SessionDirectory::kCommandName);
  const Fd file = Fd::Open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  std::vector<uint8_t> bytes(kMostBytes);
  const int64_t size = file.ok() ? file.ReadAt(0, bytes) : 0;
  std::vector<std::string> words;
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(std::max<int64_t>(size, 0)));
  while (!rest.empty()) {
    words.emplace_back(rest.substr(0, rest.find('\0')));
    rest.remove_prefix(std::min(words.back().size() + 1, rest.size()));
  }
  return words;
}

void SessionContents::ReadDirectory(const std::string& path) {
  if (command.empty()) command = ReadSessionCommand(path);
  std::error_code error;
  std::vector<std::pair<std::pair<int32_t, uint32_t>, std::string>> segments;
  std::filesystem::directory_iterator entries(path, error);
  for (const std::filesystem::directory_iterator end; !error && entries != end; entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    std::error_code status_error;
    const std::filesystem::file_type type = entries->symlink_status(status_error).type();
    SegmentName segment;
    if (type == std::filesystem::file_type::regular && segment.Parse(name)) {
      segments.push_back({{segment.pid, segment.image}, entries->path().string()});
    } else if (type == std::filesystem::file_type::symlink && name.starts_with(kNotePrefix)) {
      const std::string pid = name.substr(std::string_view(kNotePrefix).size());
      const std::string reason = std::filesystem::read_symlink(entries->path(), status_error).string();
      if (status_error) continue;
      reasons.push_back(Concat("process ", Printable(pid), ": ", WhyNotRecorded(Printable(reason))));
      if (int32_t number = 0; ParseExactly(pid, &number)) told_why.insert(number);
    } else if (MarkedChild child; type == std::filesystem::file_type::symlink && name.starts_with(kChildPrefix)) {
      if (child.Parse(name, std::filesystem::read_symlink(entries->path(), status_error).string())) {
        marked.push_back(std::move(child));
      }
    } else if (name == kFilteredName && WasRead(entries->path().string())) {
      // They may do nothing but read it; so who copies the folder says the same.
      reasons.push_back(
          "programs under a seccomp filter, which might end them for a system call of the profiler's; unless somebody "
          "else has read the session's files");
    } else if (name == kSessionFullName) {
      warnings.push_back(
          "the session holds as much as it may: what started after that, if anything did, is not in the profile");
    }
  }
  if (error) warnings.push_back(Concat(path, ": cannot be listed: ", std::string(error.message())));
  std::sort(segments.begin(), segments.end());
  std::sort(reasons.begin(), reasons.end());
  for (const auto& [key, file] : segments) ReadSegment(file);
}

void SessionContents::ReadSegment(const std::string& path) {
  ProcessProfile process;
  const SegmentReadResult result = ReadSegmentFile(path.c_str(), process);
  if (result.status == SegmentReadStatus::kNotASegment && IsUnfinished(path)) {
    SegmentName name;
    unfinished.push_back(name.Parse(std::string_view(path).substr(path.rfind('/') + 1)) ? name.pid : 0);
    return;
  }
  TakeNameFromFile(path, process);
  AddRead(path, result, std::move(process));
}

void SessionContents::ReadSegment(int descriptor) {
  ProcessProfile process;
  const SegmentReadResult result = ReadSegmentFile(descriptor, process);
  AddRead("the segment", result, std::move(process));
}

void SessionContents::AddRead(std::string_view name, const SegmentReadResult& result, ProcessProfile process) {
  if (result.status != SegmentReadStatus::kOk) warnings.push_back(Concat(Printable(name), " ", WhyUnread(result)));
  if (result.status == SegmentReadStatus::kOk && process.pid <= 0) {
    warnings.push_back(Concat(Printable(name), " does not say whose it is: it is left out"));
  }
  // Of a damaged segment what could be read is worth keeping, if it says whose it is.
  const bool usable = result.status == SegmentReadStatus::kOk ||
                      (result.status == SegmentReadStatus::kDamaged && !process.threads.empty());
  if (usable && process.pid > 0) processes.push_back(std::move(process));
}

void SessionContents::Finish() {
  AddMarked(marked, processes);
  std::erase_if(unfinished, [this](int32_t pid) {
    return std::any_of(marked.begin(), marked.end(), [pid](const MarkedChild& child) { return child.pid == pid; });
  });
  for (ProcessProfile& process : processes) {
    if (process.threads.empty()) AddMainThread(process);
  }
  NumberPidSpaces(processes);
  const auto ids = [](const ProcessProfile& process) { return std::pair(process.pid, process.pid_space); };
  std::map<std::pair<int32_t, uint32_t>, int64_t> first_start_ns;
  for (const ProcessProfile& process : processes) {
    const auto [entry, is_new] = first_start_ns.try_emplace(ids(process), process.start_ns);
    if (!is_new) entry->second = std::min(entry->second, process.start_ns);
  }
  std::stable_sort(processes.begin(), processes.end(), [&](const ProcessProfile& a, const ProcessProfile& b) {
    const int64_t start_a = first_start_ns[ids(a)];
    const int64_t start_b = first_start_ns[ids(b)];
    return std::tie(start_a, a.pid, a.pid_space, a.image) < std::tie(start_b, b.pid, b.pid_space, b.image);
  });
  PidNamespaces spaces;
  for (size_t i = 0; i < processes.size(); ++i) {
    ProcessProfile& process = processes[i];
    // A copy of a segment, say: what has the same ids would be the same process to a viewer.
    if (i > 0 && ids(process) == ids(processes[i - 1]) && process.image <= processes[i - 1].image) {
      process.image = processes[i - 1].image + 1;
    }
    const bool has_next = i + 1 < processes.size() && ids(process) == ids(processes[i + 1]);
    // Another recording of the same program has its constructor's time; 0: it is not known.
    const bool is_same_program =
        has_next && process.constructor_ns != 0 && process.constructor_ns == processes[i + 1].constructor_ns;
    if (has_next && !is_same_program) {
      process.end_reason = BeforeExec(process.end_reason);
    } else if (process.end_reason == "alive") {
      const auto known = spaces.IsOurs(process.pid_namespace) ? known_ends.find(process.pid) : known_ends.end();
      if (known != known_ends.end()) {
        TakeKnownEnd(known->second, told_why.contains(process.pid), process);
      } else if (!spaces.Lives(process.pid_namespace, process.pid)) {
        process.end_reason = "ended";
      }
    }
  }
}

void SessionContents::NoteLate(const std::vector<LateProcess>& late) {
  const auto is_known = [this](const LateProcess& late_process) {
    return told_why.contains(late_process.pid) || std::ranges::any_of(processes, [&](const ProcessProfile& process) {
             return process.pid == late_process.pid && (process.pid_namespace == late_process.pid_namespace ||
                                                        process.pid_namespace == 0 || late_process.pid_namespace == 0);
           });
  };
  for (const LateProcess& process : late) {
    if (is_known(process)) continue;
    reasons.push_back(
        Concat("process ", process.pid, " (", Printable(process.name),
               "): it goes on after the recording, and had not begun to record: it had only just started, "
               "is statically linked or privileged, or lost LD_PRELOAD"));
  }
}

uint64_t SessionContents::SampleCount() const {
  uint64_t count = 0;
  for (const ProcessProfile& process : processes) {
    for (const ThreadRow& thread : process.threads) {
      for (const SampleRow& sample : thread.samples) count += IsSample(sample) ? 1 : 0;
    }
  }
  return count;
}

size_t SessionContents::ProcessCount() const {
  std::set<std::pair<int32_t, uint32_t>> pids;
  for (const ProcessProfile& process : processes) pids.insert({process.pid, process.pid_space});
  return pids.size();
}

}  // namespace geckoprof
