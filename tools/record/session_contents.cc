#include "tools/record/session_contents.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <tuple>
#include <utility>

#include "geckoprof/base/fd.h"
#include "geckoprof/reader/profile_facts.h"
#include "geckoprof/reader/segment_reader.h"
#include "geckoprof/segment/segment_format.h"
#include "tools/record/segment_archive.h"
#include "tools/record/session_counters.h"
#include "tools/record/session_directory.h"
#include "tools/support/process_state.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

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

// Adds forked children of which there is nothing else.
void AddMarked(std::vector<MarkedChild> marked, RecordedProcesses& processes) {
  if (processes.empty() || marked.empty()) return;
  std::vector<ProgramStart> starts;
  std::vector<ProcessFacts> all = processes.TakeAllFacts();
  starts.reserve(all.size());
  for (const ProcessFacts& facts : all) starts.push_back({facts.pid, facts.start_ns, starts.size()});
  std::ranges::sort(starts);
  std::ranges::stable_sort(marked, {}, [](const MarkedChild& child) { return std::pair(child.pid, child.begin_ns); });
  std::vector<const MarkedChild*> unsampled;
  for (size_t i = 0; i < marked.size(); ++i) {
    const bool has_next = i + 1 < marked.size() && marked[i + 1].pid == marked[i].pid;
    const ProgramStart* const program = marked[i].FindProgram(starts, has_next ? marked[i + 1].begin_ns : INT64_MAX);
    if (program == nullptr) unsampled.push_back(&marked[i]);
    // A child that lives for long has a segment and no mark. This one called exec right after its fork. By then its
    // parent may have ended.
    if (program != nullptr && marked[i].end_ns == 0) {
      all[program->row].before_exec_ns = marked[i].begin_ns;
      all[program->row].parent_pid = marked[i].parent_pid;
    }
  }
  processes.SetAllFacts(std::move(all));
  for (const MarkedChild* const child : unsampled) {
    const ProgramStart* const parent = child->FindParent(starts);
    processes.push_back(child->ToProcess(processes[parent != nullptr ? parent->row : 0], parent != nullptr));
  }
}

// Adds programs that the recorder saw, and of which no segment tells.
void AddUnrecorded(const std::vector<UnrecordedProgram>& programs, const std::vector<MarkedChild>& marked,
                   RecordedProcesses& processes) {
  if (processes.empty() || programs.empty()) return;
  std::vector<ProcessFacts> recorded;
  processes.VisitFacts([&recorded](size_t, const ProcessFacts& facts) { recorded.push_back(facts); });
  std::set<int32_t> known;  // processes of which there is anything else
  for (const ProcessFacts& facts : recorded) known.insert(facts.pid);
  for (const MarkedChild& child : marked) known.insert(child.pid);
  for (const UnrecordedProgram& program : programs) {
    // Until its exec, or its end, such a process is its parent's program.
    if (program.is_forked && known.contains(program.pid)) continue;
    uint32_t image = 0;
    bool is_recorded = false;
    for (const ProcessFacts& facts : recorded) {
      is_recorded |= program.MayBe(facts);
      const bool is_before = facts.pid == program.pid && facts.pid_namespace == program.pid_namespace &&
                             facts.process_start_ticks == program.process_start_ticks &&
                             facts.start_ns <= program.seen_ns;
      if (is_before) image = std::max(image, facts.image + 1);
    }
    if (!is_recorded) processes.push_back(program.ToProcess(processes[0], image));
  }
}

// PidLives tells the processes of one pid from one another. Two containers, say, have a process 1 each. The kernel also
// gives a pid again when its process has ended.
//
// A process that does not tell its namespace counts as one of the namespace that was first. A process that does not
// tell when the kernel started it counts as the latest of its namespace.
class PidLives {
 public:
  // Returns the number of the process. A marked child is never the process of a segment. REQUIRES: the calls are in
  // order of the starts.
  uint32_t Add(const ProcessFacts& facts, bool is_marked) {
    if (!is_marked) {
      if (const std::optional<uint32_t> known = Find(facts)) return *known;
    }
    lives_.push_back({facts.pid_namespace, facts.process_start_ticks, is_marked});
    return static_cast<uint32_t>(lives_.size() - 1);
  }
  // Returns whether a later process has the pid of this one. The earlier one must have ended.
  bool IsOver(uint32_t number) const {
    for (size_t later = number + 1; later < lives_.size(); ++later) {
      if (MaySame(lives_[later].pid_namespace, lives_[number].pid_namespace)) return true;
    }
    return false;
  }

 private:
  struct Life {
    uint32_t pid_namespace;
    uint64_t start_ticks;
    bool is_marked;
  };

  // Returns whether two numbers may be the same. 0 is an unknown one.
  template <typename Number>
  static bool MaySame(Number a, Number b) {
    return a == b || a == 0 || b == 0;
  }
  std::optional<uint32_t> Find(const ProcessFacts& facts) {
    uint32_t pid_namespace = facts.pid_namespace;
    for (size_t i = 0; pid_namespace == 0 && i < lives_.size(); ++i) pid_namespace = lives_[i].pid_namespace;
    for (size_t i = lives_.size(); i-- > 0;) {
      Life& life = lives_[i];
      if (life.is_marked || !MaySame(life.pid_namespace, pid_namespace)) continue;
      if (!MaySame(life.start_ticks, facts.process_start_ticks)) continue;
      if (life.pid_namespace == 0) life.pid_namespace = pid_namespace;
      if (life.start_ticks == 0) life.start_ticks = facts.process_start_ticks;
      return static_cast<uint32_t>(i);
    }
    return std::nullopt;
  }

  std::vector<Life> lives_;
};

// Numbers the processes of each pid. Processes that are over and do not know it have "ended". The rows from `marked` on
// are of marked children.
void NumberPidSpaces(size_t marked, std::vector<ProcessFacts>& processes) {
  std::vector<size_t> rows(processes.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  std::ranges::stable_sort(rows, {}, [&](size_t row) {
    const ProcessFacts& facts = processes[row];
    return std::tuple(facts.pid, facts.start_ns, facts.image);
  });
  for (auto first = rows.begin(); first != rows.end();) {
    const int32_t pid = processes[*first].pid;
    const auto last = std::find_if(first, rows.end(), [&](size_t row) { return processes[row].pid != pid; });
    PidLives lives;
    for (auto row = first; row != last; ++row) processes[*row].pid_space = lives.Add(processes[*row], *row >= marked);
    std::set<uint32_t> seen;  // the last program of each process comes first here
    for (auto row = last; row != first;) {
      ProcessFacts& facts = processes[*--row];
      if (!seen.insert(facts.pid_space).second || *facts.end_reason != "alive") continue;
      if (lives.IsOver(facts.pid_space)) facts.end_reason = "ended";
    }
    first = last;
  }
}

// Puts the processes in the order of their starts, and programs of one process in the order of their images.
std::vector<size_t> OrderOf(const std::vector<ProcessFacts>& processes) {
  const auto ids = [&](size_t row) { return std::pair(processes[row].pid, processes[row].pid_space); };
  std::vector<size_t> rows(processes.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  std::ranges::stable_sort(rows, {}, [&](size_t row) { return std::pair(ids(row), processes[row].start_ns); });
  std::vector<int64_t> first_start_ns(processes.size());  // of the process, by row
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool is_first = i == 0 || ids(rows[i]) != ids(rows[i - 1]);
    first_start_ns[rows[i]] = is_first ? processes[rows[i]].start_ns : first_start_ns[rows[i - 1]];
  }
  std::iota(rows.begin(), rows.end(), size_t{0});
  std::ranges::stable_sort(rows, {}, [&](size_t row) {
    return std::tuple(first_start_ns[row], ids(row), processes[row].image, processes[row].start_ns);
  });
  return rows;
}

// How a program ended that another one followed: whatever ended its recording before is worth telling.
std::string BeforeExec(const std::string& end_reason) {
  for (const std::string_view usual : {"", "alive", "exec", "exited", "unknown"}) {
    if (end_reason == usual) return "exec";
  }
  return Concat("exec (sampling had ended before: ", end_reason, ")");
}

// Exec gives a process another name, which it may also give itself: then its main thread has it in the profile.
bool WasFollowedUnrecorded(const ProcessFacts& process, const SessionContents::KnownEnd& end) {
  if (end.name.empty() || process.command_name->empty() || end.name == *process.command_name) return false;
  return !std::string_view(*process.main_name).starts_with(end.name);
}

void TakeKnownEnd(const SessionContents::KnownEnd& end, bool has_told_why, ProcessFacts& process) {
  process.end_reason = end.how;
  process.exit_status = end.status;
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

// Reads the segment at an offset of an archive. RecordedProcesses knows it by the name "<session>/ended/<offset>", and
// `folder` is "<session>/ended".
SegmentReadResult ReadArchived(const std::string& folder, uint64_t offset, ProcessProfile& process) {
  const size_t slash = folder.rfind('/');
  const absl::StatusOr<ArchivedSegments> archive =
      ArchivedSegments::Open(folder.substr(0, slash), folder.substr(slash + 1));
  const absl::StatusOr<Fd> segment = archive.ok() ? archive->Unpack(offset) : archive.status();
  if (!segment.ok()) return {SegmentReadStatus::kDamaged};
  return ReadSegmentFile(segment->number(), process);
}

// Returns the time at which a segment was made, or 0.
int64_t CreatedNs(const Fd& segment) {
  int64_t created_ns = 0;
  const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(&created_ns), sizeof(created_ns));
  return segment.ok() && segment.ReadAt(offsetof(SegmentHeader, created_ns), bytes) == sizeof(created_ns) ? created_ns
                                                                                                          : 0;
}

std::vector<std::string> ArchivesIn(const std::string& session) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entries(session, error);
  for (const std::filesystem::directory_iterator end; !error && entries != end; entries.increment(error)) {
    std::string name = entries->path().filename().string();
    if (IsArchiveName(name)) names.push_back(std::move(name));
  }
  return names;
}

ProcessProfile ReadAgain(const std::string& path) {
  ProcessProfile process;
  const std::string folder = path.substr(0, path.rfind('/'));
  uint64_t offset = 0;
  if (IsArchiveName(PathBaseName(folder)) && ParseExactly(std::string_view(path).substr(folder.size() + 1), &offset)) {
    ReadArchived(folder, offset, process);
    return process;
  }
  ReadSegmentFile(path.c_str(), process);
  TakeFileName(std::string_view(path).substr(path.rfind('/') + 1), process);
  return process;
}

}  // namespace

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

SessionContents::KnownEnd SessionContents::KnownEnd::Of(int status) {
  if (WIFSIGNALED(status)) return {.how = Concat("killed by signal ", WTERMSIG(status))};
  return {.how = "exited", .status = WEXITSTATUS(status)};
}

void SessionContents::ReadDirectory(const std::string& path) {
  if (command.empty()) command = ReadSessionCommand(path);
  counters = std::make_shared<const SessionCounters>(SessionCounters::Read(path));
  std::error_code error;
  Segments segments;
  size_t read_marks = 0, unread_marks = 0, unread_notes = 0;
  std::filesystem::directory_iterator entries(path, error);
  for (const std::filesystem::directory_iterator end; !error && entries != end; entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    // The listing has the types. A question for each of a million entries would take a second.
    std::error_code status_error;
    const bool is_link = entries->is_symlink(status_error);
    SegmentName segment;
    if (!is_link && segment.Parse(name) && entries->is_regular_file(status_error)) {
      segments.emplace_back(segment.pid, segment.image);
    } else if (is_link && name.starts_with(kNotePrefix)) {
      if (reasons.size() >= kMostMarks) {
        ++unread_notes;
        continue;
      }
      const std::string pid = name.substr(std::string_view(kNotePrefix).size());
      const std::string reason = std::filesystem::read_symlink(entries->path(), status_error).string();
      if (status_error) continue;
      reasons.push_back(Concat("process ", Printable(pid), ": ", WhyNotRecorded(Printable(reason))));
      if (int32_t number = 0; ParseExactly(pid, &number)) told_why.insert(number);
    } else if (MarkedChild child; is_link && name.starts_with(kChildPrefix)) {
      if (read_marks == kMostMarks) {
        ++unread_marks;
        continue;
      }
      ++read_marks;
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
  if (unread_marks != 0) {
    warnings.push_back(Concat(path, ": ", unread_marks, " forked children are left out, beyond ", kMostMarks));
  }
  if (unread_notes != 0) {
    warnings.push_back(Concat(path, ": ", unread_notes, " notes of processes that were not recorded are left out"));
  }
  std::sort(segments.begin(), segments.end());
  std::sort(reasons.begin(), reasons.end());
  // A listed segment that is not there any more is in the archive by now.
  std::erase_if(segments, [&](const std::pair<int32_t, uint32_t>& segment) {
    return !TryReadSegment(Concat(path, "/", segment.first, "-", segment.second, kSegmentSuffix));
  });
  for (const std::string& archive : ArchivesIn(path)) ReadArchive(path, archive, segments);
}

void SessionContents::ReadArchive(const std::string& session, const std::string& name, const Segments& in_files) {
  const std::string path = Concat(session, "/", name);
  const absl::StatusOr<ArchivedSegments> archive = ArchivedSegments::Open(session, name);
  if (absl::IsNotFound(archive.status())) return;  // a flight recorder has dropped it
  if (!archive.ok()) {
    warnings.push_back(Concat(Printable(path), ": ", std::string(archive.status().message())));
    return;
  }
  size_t damaged = 0, without_data = 0;
  for (const ArchivedSegments::Found& found : archive->List()) {
    ProcessProfile process;
    const absl::StatusOr<Fd> segment = archive->Unpack(found.offset);
    // If the recorder was killed before it removed the file, the segment is there twice. The recorder may also have
    // moved it after it was read here. A later process may also have the same pid.
    if (segment.ok() && std::ranges::binary_search(in_files, std::pair(found.pid, found.image))) {
      const std::string path_of_file = Concat(session, "/", found.pid, "-", found.image, kSegmentSuffix);
      const Fd file = Fd::Open(path_of_file.c_str(), O_RDONLY | O_NOFOLLOW);
      if (file.error() == ENOENT || CreatedNs(*segment) == CreatedNs(file)) continue;
    }
    const bool is_read =
        segment.ok() && ReadSegmentFile(segment->number(), process).status == SegmentReadStatus::kOk && process.pid > 0;
    if (!is_read) {
      ++damaged;
      continue;
    }
    without_data += found.has_data ? 0 : 1;
    processes.AddRead(std::move(process), path, Concat(found.offset), &ReadAgain);
  }
  if (damaged != 0) warnings.push_back(Concat(Printable(path), ": ", damaged, " ended processes cannot be read"));
  if (without_data != 0) {
    warnings.push_back(Concat("the samples and markers of ", without_data,
                              " processes that had ended first were dropped, because ",
                              DroppedForText(archive->dropped_for())));
  }
}

void SessionContents::ReadSegment(const std::string& path) {
  if (TryReadSegment(path)) return;
  warnings.push_back(Concat(Printable(path), " ", WhyUnread({SegmentReadStatus::kCannotOpen, ENOENT})));
}

bool SessionContents::TryReadSegment(const std::string& path) {
  ProcessProfile process;
  const SegmentReadResult result = ReadSegmentFile(path.c_str(), process);
  if (result.status == SegmentReadStatus::kCannotOpen && result.error == ENOENT) return false;
  if (result.status == SegmentReadStatus::kNotASegment && IsUnfinished(path)) {
    SegmentName name;
    unfinished.push_back(name.Parse(std::string_view(path).substr(path.rfind('/') + 1)) ? name.pid : 0);
    return true;
  }
  TakeFileName(std::string_view(path).substr(path.rfind('/') + 1), process);
  if (!IsUsable(path, result, process)) return true;
  const size_t slash = path.rfind('/');
  const std::string_view name = std::string_view(path).substr(slash + 1);  // npos + 1 is 0
  processes.AddRead(std::move(process), slash == std::string::npos ? "." : path.substr(0, slash), name, &ReadAgain);
  return true;
}

void SessionContents::ReadSegment(int descriptor) {
  ProcessProfile process;
  const SegmentReadResult result = ReadSegmentFile(descriptor, process);
  if (IsUsable("the segment", result, process)) processes.push_back(std::move(process));
}

bool SessionContents::IsUsable(std::string_view name, const SegmentReadResult& result, const ProcessProfile& process) {
  if (result.status != SegmentReadStatus::kOk) warnings.push_back(Concat(Printable(name), " ", WhyUnread(result)));
  if (result.status == SegmentReadStatus::kOk && process.pid <= 0) {
    warnings.push_back(Concat(Printable(name), " does not say whose it is: it is left out"));
  }
  // Of a damaged segment what could be read is worth keeping, if it says whose it is.
  const bool usable = result.status == SegmentReadStatus::kOk ||
                      (result.status == SegmentReadStatus::kDamaged && !process.threads.empty());
  return usable && process.pid > 0;
}

void SessionContents::Finish() {
  AddUnrecorded(unrecorded, marked, processes);
  const size_t recorded = processes.size();
  AddMarked(marked, processes);
  std::set<int32_t> marked_pids;
  for (const MarkedChild& child : marked) marked_pids.insert(child.pid);
  std::erase_if(unfinished, [&](int32_t pid) { return marked_pids.contains(pid); });
  std::vector<ProcessFacts> all = processes.TakeAllFacts();
  NumberPidSpaces(recorded, all);
  const std::vector<size_t> order = OrderOf(all);
  processes.SetAllFacts(std::move(all));
  processes.Reorder(order);
  all = processes.TakeAllFacts();
  const auto ids = [](const ProcessFacts& process) { return std::pair(process.pid, process.pid_space); };
  PidNamespaces spaces;
  for (size_t i = 0; i < all.size(); ++i) {
    ProcessFacts& process = all[i];
    // A copy of a segment, say: what has the same ids would be the same process to a viewer.
    if (i > 0 && ids(process) == ids(all[i - 1]) && process.image <= all[i - 1].image) {
      process.image = all[i - 1].image + 1;
    }
    const bool has_next = i + 1 < all.size() && ids(process) == ids(all[i + 1]);
    // Another recording of the same program has its constructor's time; 0: it is not known.
    const bool is_same_program =
        has_next && process.constructor_ns != 0 && process.constructor_ns == all[i + 1].constructor_ns;
    if (has_next && !is_same_program) {
      // Exec ends the sampler, which looks at a running program at each tick. A sleeping one may not have been seen for
      // seconds.
      if (*process.end_reason == "alive" && process.ran_to_end) all[i + 1].before_exec_ns = process.end_ns;
      process.end_reason = BeforeExec(*process.end_reason);
    } else if (*process.end_reason == "alive") {
      const auto known = known_ends.find(spaces.NameOf(process.pid_namespace, process.pid));
      if (known != known_ends.end()) {
        TakeKnownEnd(known->second, told_why.contains(process.pid), process);
      } else if (!spaces.Lives(process.pid_namespace, process.pid)) {
        process.end_reason = "ended";
      }
    }
  }
  processes.SetAllFacts(std::move(all));
  processes.AmendAll([rows = counters](size_t, ProcessProfile& process) {
    if (process.threads.empty()) AddMainThread(process);
    if (rows != nullptr) rows->processes.AddTo(process);
  });
}

void SessionContents::NoteLate(const std::vector<LateProcess>& late) {
  const auto is_known = [this](const LateProcess& late_process) {
    bool is_recorded = false;
    processes.VisitFacts([&](size_t, const ProcessFacts& process) {
      is_recorded |= process.pid == late_process.pid && (process.pid_namespace == late_process.pid_namespace ||
                                                         process.pid_namespace == 0 || late_process.pid_namespace == 0);
    });
    return is_recorded || told_why.contains(late_process.pid);
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
  std::vector<std::pair<int32_t, uint32_t>> pids;
  pids.reserve(processes.size());
  processes.VisitFacts([&pids](size_t, const ProcessFacts& facts) { pids.emplace_back(facts.pid, facts.pid_space); });
  std::ranges::sort(pids);
  return static_cast<size_t>(std::unique(pids.begin(), pids.end()) - pids.begin());
}

}  // namespace geckoprof
