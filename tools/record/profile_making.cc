#include "tools/record/profile_making.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "geckoprof/reader/marker_type_union.h"
#include "geckoprof/reader/profile_facts.h"
#include "tools/processed_format/end_text.h"
#include "tools/processed_format/ipc_peers.h"
#include "tools/processed_format/processed_thread_writer.h"
#include "tools/processed_format/recorded_processes.h"
#include "tools/record/missing_stacks.h"
#include "tools/record/process_markers.h"
#include "tools/record/recorded_time.h"
#include "tools/record/session_counters.h"
#include "tools/support/output_file.h"
#include "tools/support/standard_output.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

constexpr size_t kMostLines = 10;  // printed of a kind; a session of thousands of processes must not flood the terminal

void PrintLines(const char* kind, const std::vector<std::string>& lines) {
  const size_t shown = std::min(lines.size(), kMostLines);
  for (size_t i = 0; i < shown; ++i) fprintf(stderr, "geckoprof: %s: %s\n", kind, CleanText(lines[i]).c_str());
  if (lines.size() > shown) fprintf(stderr, "geckoprof: %s: %zu more of this kind\n", kind, lines.size() - shown);
}

absl::Status NothingRecorded(const SessionContents& contents, int32_t program_pid) {
  if (!contents.reasons.empty()) {
    const size_t shown = std::min<size_t>(contents.reasons.size(), 3);
    return absl::NotFoundError(Concat("nothing was recorded: ",
                                      absl::StrJoin(contents.reasons.begin(), contents.reasons.begin() + shown, "; ")));
  }
  if (!contents.warnings.empty()) return absl::NotFoundError("nothing was recorded that can be read");
  const auto end = contents.known_ends.find(program_pid);
  const bool was_killed = end != contents.known_ends.end() && end->second.how.starts_with("killed");
  if (!contents.unfinished.empty()) {
    return absl::NotFoundError(Concat("nothing was recorded: the segment is empty",
                                      was_killed ? Concat(", and the program was ", end->second.how) : ""));
  }
  if (was_killed) {
    return absl::NotFoundError(
        Concat("nothing was recorded: the program was ", end->second.how, " before any process started the profiler"));
  }
  return absl::NotFoundError(
      "nothing was recorded: no process started the profiler. Did the program drop LD_PRELOAD or the GECKOPROF_ "
      "variables "
      "before its real work, hand over to a statically linked or privileged program, or filter its system calls?");
}

std::string OutputPidText(const ProcessProfile& process) { return Concat(OutputPid(process)); }

// Puts the process of `pid` first, with all its programs.
void PutFirst(int32_t pid, RecordedProcesses& processes) {
  std::vector<size_t> order, others;
  processes.VisitFacts([&](size_t row, const ProcessFacts& facts) {
    (facts.pid == pid && facts.pid_space == 0 ? order : others).push_back(row);
  });
  order.insert(order.end(), others.begin(), others.end());
  processes.Reorder(order);
}

// Gives marker types of one name the same fields, and the processes in markers of messages their names. Adds the
// markers that follow from the tables, from a time on.
void UniteProcesses(std::string (*name)(const ProcessProfile& process), int64_t begin_ns,
                    RecordedProcesses& processes) {
  MarkerTypeUnion types;
  for (const ProcessProfile& process : processes) types.Add(process.marker_types);
  const IpcPeers peers(processes, name);
  const auto markers = std::make_shared<ProcessMarkers>(processes, begin_ns);
  processes.AmendAll([types, peers, markers, begin_ns](size_t row, ProcessProfile& process) {
    if (process.constructor_ns >= begin_ns) AddLoadingMarker(process);
    markers->AddTo(row, process);
    types.ApplyTo(process.marker_types);
    peers.NameIn(row, process);
  });
}

// Returns how the program ended, and which other processes crashed. The first process is the program.
std::string EndOfSession(const RecordedProcesses& processes, const ProfileRequest& request) {
  constexpr size_t kMostOthers = 3;
  std::string end = request.end;
  std::vector<size_t> crashed;  // rows of other processes
  std::optional<size_t> crashed_program;
  std::pair<int32_t, uint32_t> program;
  processes.VisitFacts([&](size_t row, const ProcessFacts& facts) {
    const std::pair ids(facts.pid, facts.pid_space);
    if (row == 0) program = ids;
    if (facts.crash_signal == 0) return;
    if (ids == program) crashed_program = row;
    if (ids != program) crashed.push_back(row);
  });
  if (crashed_program.has_value()) {
    // The kernel's word on the core dump comes first.
    const ProcessProfile& process = processes[*crashed_program];
    const std::string cause = CrashCause(process);
    end = end.empty() ? EndText(process) : cause.empty() ? end : Concat(end, ", ", cause);
  }
  for (size_t i = 0; i < std::min(crashed.size(), kMostOthers); ++i) {
    const ProcessProfile& process = processes[crashed[i]];
    end += Concat(end.empty() ? "" : "; ", ProgramName(process), " (", process.pid, "): ", EndText(process));
  }
  if (crashed.size() > kMostOthers) end += Concat("; ", crashed.size() - kMostOthers, " more crashed");
  return end.empty() ? EndText(processes[0]) : end;
}

// Adds what was read of the machine to the first process, whose track the viewer shows first.
void AddMachine(const SessionContents& contents, RecordedProcesses& processes) {
  if (contents.counters == nullptr || contents.counters->machine.empty()) return;
  int64_t end_ns = 0;
  processes.VisitFacts([&](size_t, const ProcessFacts& facts) { end_ns = std::max(end_ns, facts.end_ns); });
  processes.AmendAll([counters = contents.counters, end_ns](size_t row, ProcessProfile& process) {
    if (row != 0) return;
    const MachineRows& machine = counters->machine;
    machine.AddTo(std::max(process.start_ns, process.recording_ns), end_ns, process);
    for (std::string& line : machine.Lines()) process.problems.push_back(std::move(line));
  });
}

RecordedSession ToSession(SessionContents contents, const ProfileRequest& request) {
  RecordedSession session;
  if (!contents.warnings.empty()) session.losses.push_back({"unreadable-segment", contents.warnings.size()});
  if (!contents.unfinished.empty()) session.losses.push_back({"unfinished-segment", contents.unfinished.size()});
  if (!contents.reasons.empty()) session.losses.push_back({"process-without-segment", contents.reasons.size()});
  session.held_files = request.held_files;
  if (session.held_files != nullptr && session.held_files->left_out_count() != 0) {
    session.losses.push_back({"module-file-not-held", session.held_files->left_out_count()});
  }
  session.processes = std::move(contents.processes);
  PutFirst(request.first_pid, session.processes);
  session.end = EndOfSession(session.processes, request);
  if (contents.window_begin_ns == 0) {
    const UnsampledProcesses unsampled(session.processes);
    session.unsampled_processes = unsampled.count;
    session.unsampled_cpu_ns = unsampled.cpu_ns;
  }
  session.capture = request.cause;
  session.processes.AmendAll([end = session.end](size_t row, ProcessProfile& process) {
    if (row == 0) process.end_text = end;
  });
  AddMachine(contents, session.processes);
  UniteProcesses(request.format == OutputFormat::kProcessed ? &ProcessedPid : &OutputPidText, contents.window_begin_ns,
                 session.processes);
  for (const char* argument : request.arguments) session.arguments.emplace_back(argument);
  if (session.arguments.empty()) session.arguments = std::move(contents.command);
  const bool has_command = !session.arguments.empty();
  if (!has_command) {
    // Who hands over by exec within the first moments may have told nothing: the first that did says what was recorded.
    for (const ProcessProfile& process : session.processes) {
      if (process.arguments.empty() && process.executable.empty()) continue;
      session.arguments = process.arguments;
      session.product = ProgramName(process);
      break;
    }
  }
  if (has_command && !session.arguments.front().empty()) {
    const std::string& program = session.arguments.front();
    session.product = program.substr(program.rfind('/') + 1);
  }
  session.exit_status = request.exit_status.value_or(0);
  session.exit_status_known = request.exit_status.has_value();
  return session;
}

// What notes of one kind have in common, whatever their figures.
std::string WithoutNumbers(std::string_view text) {
  std::string kind;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) kind.push_back(c);
  }
  return kind;
}

std::string AndOthers(size_t count) {
  return count == 0 ? "" : Concat(" and ", count, count == 1 ? " other" : " others");
}

// Who was not recorded, a line a reason: "process 7: no room", "process 7 and 3 others: no room".
void AddReasons(const std::vector<std::string>& reasons, std::vector<std::string>& lines) {
  struct Line {
    std::string_view first;
    size_t others = 0;
  };
  std::vector<Line> made;
  std::map<std::string, size_t> rows;  // of `made`, by reason
  for (const std::string& reason : reasons) {
    const auto [row, is_first] = rows.try_emplace(WithoutNumbers(reason), made.size());
    if (is_first) {
      made.push_back({reason});
    } else {
      ++made[row->second].others;
    }
  }
  for (const auto& [first, others] : made) {
    const size_t why_at = std::min(first.find(": "), first.size());
    lines.push_back(Concat("not recorded: ", first.substr(0, why_at), AndOthers(others), first.substr(why_at)));
  }
}

// None where the samples were not meant to have all of the program's time.
std::optional<RecordedTime> TimeOf(const SessionContents& contents, const ProfileRequest& request) {
  if (request.program_cpu_ns < 0 || !request.has_all_threads || !contents.warnings.empty()) return std::nullopt;
  const RecordedTime time(request.program_cpu_ns, contents.processes);
  return time.is_comparable ? std::optional(time) : std::nullopt;
}

absl::StatusOr<OutputFile> CreateOutput(const ProfileRequest& request) {
  if (request.descriptor) return OutputFile::OfDescriptor(*request.descriptor, request.output);
  return OutputFile::Create(request.output, request.numbers);
}

}  // namespace

std::vector<std::string> ProfileNotes(const SessionContents& contents) {
  std::vector<std::string> lines;
  AddReasons(contents.reasons, lines);
  struct Note {
    int32_t pid;
    std::string executable;  // of the first program of the process that tells it
    std::string problem;
    std::set<int32_t> pids = {};  // of all that have one of this kind
    bool differ = false;
  };
  std::vector<Note> notes;
  std::map<std::string, size_t> rows;  // of `notes`, by kind
  contents.processes.VisitFacts([&](size_t row_of_process, const ProcessFacts& facts) {
    for (const SharedText& shared : facts.problems) {
      const std::string& problem = *shared;
      const auto [row, is_first] = rows.try_emplace(WithoutNumbers(problem), notes.size());
      if (is_first) notes.push_back({facts.pid, "", problem});
      Note& note = notes[row->second];
      note.pids.insert(facts.pid);
      note.differ |= note.problem != problem;
      const bool needs_name = note.pid == facts.pid && note.executable.empty();
      if (needs_name) note.executable = contents.processes[row_of_process].executable;
    }
  });
  for (const auto& [pid, executable, problem, pids, differ] : notes) {
    const std::string name = executable.empty() ? "" : Concat(" (", CleanText(executable), ")");
    lines.push_back(Concat("process ", pid, name, AndOthers(pids.size() - 1), ": ", CleanText(problem),
                           differ ? " (not all with the same figures)" : ""));
  }
  return lines;
}

absl::Status MakeProfile(SessionContents contents, const ProfileRequest& request) {
  PrintLines("warning", contents.warnings);
  if (contents.processes.empty()) return NothingRecorded(contents, request.first_pid);
  std::vector<std::string> notes = ProfileNotes(contents);
  const std::optional<RecordedTime> time = TimeOf(contents, request);
  if (time.has_value() && notes.empty() && !time->Note().empty()) notes.push_back(time->Note());
  if (contents.counters != nullptr) {
    for (std::string& line : contents.counters->machine.Lines()) notes.push_back(std::move(line));
  }
  MissingStacks stacks;
  RecordedGaps gaps;
  for (const ProcessProfile& process : contents.processes) {
    stacks.AddProcess(process);
    gaps.AddProcess(process);
  }
  for (std::string note : {stacks.Note(), gaps.Note()}) {
    if (!note.empty()) notes.push_back(std::move(note));
  }
  const bool shows_notes = !request.quiet && !request.is_during_run;
  if (shows_notes) PrintLines("note", notes);
  const uint64_t samples = stacks.samples();
  const size_t processes = contents.ProcessCount();
  RecordedSession session = ToSession(std::move(contents), request);
  const bool is_clean = session.end == ExitText(0);
  if (!request.quiet && !request.end.empty() && !is_clean) {
    fprintf(stderr, "geckoprof: the program ended: %s\n", CleanText(session.end).c_str());
  }
  if (time.has_value()) session.cpu_times = {time->program_ns(), time->sampled_ns};
  absl::StatusOr<OutputFile> output = CreateOutput(request);
  if (!output.ok()) return output.status();
  ProfileFindings findings;
  {
    ProgressLine progress(STDERR_FILENO);
    absl::Status written = WriteProfile(session, request.format, *output, shows_notes ? &progress : nullptr, &findings);
    if (!written.ok()) return written;
  }
  PrintLines("warning", findings.problems);
  if (!request.quiet) {
    fprintf(stderr, "geckoprof: profile written to %s (%llu %s, %zu %s)%s%s\n", CleanText(output->path()).c_str(),
            static_cast<unsigned long long>(samples), samples == 1 ? "sample" : "samples", processes,
            processes == 1 ? "process" : "processes", request.cause.empty() ? "" : ": ",
            CleanText(request.cause).c_str());
    if (shows_notes && !findings.names_note.empty()) PrintLines("note", {findings.names_note});
  }
  return absl::OkStatus();
}

}  // namespace geckoprof
