#include <poll.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "geckoprof/base/clock.h"
#include "tools/ctl/controlled_session.h"
#include "tools/ctl/recording_settings.h"
#include "tools/ctl/steering.h"
#include "tools/options/command_options.h"
#include "tools/options/commands.h"
#include "tools/options/quantity.h"
#include "tools/record/profile_making.h"
#include "tools/record/session_contents.h"
#include "tools/record/session_window.h"
#include "tools/record/start_options.h"
#include "tools/recover/left_session.h"
#include "tools/recover/left_session_list.h"
#include "tools/support/output_file.h"
#include "tools/support/private_folder.h"
#include "tools/support/process_state.h"
#include "tools/support/standard_output.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

constexpr char kExamples[] =
    "Examples:\n"
    "  geckoprof ctl list\n"
    "  geckoprof ctl start 4711 --interval 0.5\n"
    "  geckoprof ctl capture 4711 -o now.json.gz\n"
    "  geckoprof ctl set 4711 --interval 5\n"
    "  geckoprof ctl stop 4711 -o all.json.gz\n"
    "  geckoprof ctl pause /dev/shm/geckoprof-a1B2c3\n\n"
    "A process must have libbaseprofiler.so, and be this user's. A session is the folder of a `geckoprof record`, and\n"
    "stands for all processes that record into it. `geckoprof record --pid` starts, waits and stops.\n";

int Fail(std::string_view what, int exit_status = 1) {
  fprintf(stderr, "geckoprof ctl: %s\n", CleanText(what).c_str());
  return exit_status;
}
int Fail(const absl::Status& status) {
  return Fail(std::string_view(status.message().data(), status.message().size()));
}
int ExitStatusOf(const absl::Status& status) { return status.ok() ? 0 : Fail(status); }

struct CtlOptions : StartOptions {
  std::string output;
  OutputFormat format = OutputFormat::kProcessed;
  bool quiet = false;
  std::string last;
  int64_t last_ns = 0;  // of `last`; 0: all that was recorded
};

std::string StateText(const RunningSegment& segment) { return segment.is_paused() ? "paused" : "recording"; }
std::string StateText(const absl::StatusOr<RunningSegment>& segment) {
  return segment.ok() ? StateText(*segment) : "idle";
}

std::string CommandLine(const ControllableProcess& process) {
  constexpr size_t kMostColumns = 100;
  std::string text;
  if (ReadWholeFile(Concat(process.folder(), "/cmdline").c_str(), text) != 0 || text.empty()) text = process.name();
  if (text.ends_with('\0')) text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  return CutText(CleanText(text), kMostColumns);
}

// The sessions of recorders that run.
std::string SessionRows() {
  std::string text;
  for (const LeftSession& session : FindLeftSessions(PrivateFolder::Parents())) {
    const bool is_session = session.file.empty() && session.only_file.empty();
    if (is_session && session.in_use) text += LeftSessionText(session) + "\n";
  }
  return text.empty() ? "" : Concat("      size  last change       session\n", text);
}

int List() {
  std::vector<pid_t> pids = ProcessIds();
  std::ranges::sort(pids);
  std::string text;
  for (const pid_t pid : pids) {
    const absl::StatusOr<ControllableProcess> process = FindControllable(pid);
    if (!process.ok()) continue;
    text += Concat(PadLeft(Concat(pid), 8), "  ", PadRight(StateText(FindRunningSegment(*process)), 9), "  ",
                   CommandLine(*process), "\n");
  }
  if (text.empty()) {
    fputs("geckoprof ctl: no process of this user has libbaseprofiler.so\n", stderr);
    return 0;
  }
  return PrintAndFinish("geckoprof ctl", Concat("     pid  state      command\n", text, SessionRows()));
}

// Two decimals are enough for a person.
std::string Seconds(int64_t ns) {
  char text[32];
  snprintf(text, sizeof(text), "%.2f s", static_cast<double>(ns) / 1e9);
  return text;
}

// Writes what was recorded by now. `then` is done when it was read.
template <typename Then>
int WriteCapture(SessionContents contents, const CtlOptions& options, const Then& then) {
  contents.Finish();
  if (options.last_ns != 0) TrimToWindow(MonotonicNs() - options.last_ns, contents);
  if (absl::Status status = then(); !status.ok()) return Fail(status);
  return ExitStatusOf(MakeProfile(std::move(contents), {.output = options.output,
                                                        .format = options.format,
                                                        .quiet = options.quiet,
                                                        .arguments = {},
                                                        .exit_status = std::nullopt}));
}

// --- a process ---

int Status(const ControllableProcess& process) {
  const absl::StatusOr<RunningSegment> segment = FindRunningSegment(process);
  std::string text = Concat(process.title(), ": ", StateText(segment));
  if (segment.ok()) {
    const SegmentHeader& header = segment->view->header();
    text += Concat(" since ", Seconds(MonotonicNs() - header.created_ns), ", interval ",
                   static_cast<double>(header.interval_ns) / 1e6, " ms, ", header.samples_taken.load(), " samples, ",
                   CleanText(segment->path));
  }
  return PrintAndFinish("geckoprof ctl", text + "\n");
}

template <typename Then>
int Capture(const ControllableProcess& process, const CtlOptions& options, const Then& then) {
  const absl::StatusOr<RunningSegment> segment = FindRunningSegment(process);
  if (!segment.ok()) return Fail(segment.status());
  // A process that cannot answer has written nearly all the same.
  AskToFlush(process);
  SessionContents contents;
  contents.ReadSegment(segment->file.number());
  return WriteCapture(std::move(contents), options, then);
}

int Start(const ControllableProcess& process, const CtlOptions& options) {
  static constexpr std::string_view kShutdown = "GECKOPROF_SHUTDOWN=";
  std::vector<std::string> inherited = process.Settings();
  if (!options.output.empty()) {
    std::erase_if(inherited, [](const std::string& line) { return line.starts_with(kShutdown); });
    inherited.push_back(Concat(kShutdown, std::filesystem::absolute(options.output).string()));
  }
  return ExitStatusOf(Obey(process, ControlCommand::kStart, options.Settings(inherited)));
}

int Set(const ControllableProcess& process, const CtlOptions& options) {
  const absl::StatusOr<RunningSegment> segment = FindRunningSegment(process);
  return segment.ok() ? ExitStatusOf(ChangeSettings(process, *segment, options)) : Fail(segment.status());
}

int Run(std::string_view command, const ControllableProcess& process, const CtlOptions& options) {
  if (command == "status") return Status(process);
  if (command == "start") return Start(process, options);
  if (command == "set") return Set(process, options);
  if (command == "capture") return Capture(process, options, [] { return absl::OkStatus(); });
  if (command == "pause") return ExitStatusOf(Obey(process, ControlCommand::kPause));
  if (command == "resume") return ExitStatusOf(Obey(process, ControlCommand::kResume));
  const auto stop = [&process] { return Obey(process, ControlCommand::kStop); };
  return options.output.empty() ? ExitStatusOf(stop()) : Capture(process, options, stop);
}

// --- a session ---

using Members = ControlledSession::Members;

int Status(const ControlledSession& session, const Members& members) {
  const ControlledSession::Size size = session.Measure(members);
  const size_t recording = members.recording.size();
  std::string text = Concat(session.path(), ": ", recording, recording == 1 ? " process, " : " processes, ",
                            MebibytesText(size.bytes));
  if (size.limit.has_value()) {
    text += Concat(", ", MebibytesText(size.counted_bytes), " of the limit of ", MebibytesText(size.limit->bytes),
                   size.limit->kind == DroppedFor::kCapacity ? " (--capacity)" : " (64 KiB for each live process)");
  }
  const size_t ended = size.recordings - std::min(size.recordings, recording);
  if (ended != 0) text += Concat(", ", ended, ended == 1 ? " recording has ended" : " recordings have ended");
  text += "\n";
  if (recording != 0) text += "     pid  state         size     samples  command\n";
  for (const ControlledSession::Member& member : members.recording) {
    text += Concat(PadLeft(Concat(member.process.pid()), 8), "  ", PadRight(StateText(member.segment), 9),
                   PadLeft(MebibytesText(member.bytes), 11), "  ",
                   PadLeft(Concat(member.segment.view->header().samples_taken.load()), 10), "  ",
                   CommandLine(member.process), "\n");
  }
  return PrintAndFinish("geckoprof ctl", text);
}

// Returns true if the process has ended, or is at its end. A process that ends stops its recording first.
bool Ends(const ControllableProcess& process) {
  constexpr int kPatienceMs = 20;
  pollfd end = {process.descriptor().number(), POLLIN, 0};
  return process.HasEnded() || poll(&end, 1, kPatienceMs) > 0;
}

// Calls act(member) for all. Prints each error, but none of processes that have ended meanwhile. Returns an exit
// status.
template <typename Act>
int ForAll(const Members& members, const Act& act) {
  int exit_status = 0;
  for (const ControlledSession::Member& member : members.recording) {
    if (const absl::Status status = act(member); !status.ok() && !Ends(member.process)) exit_status = Fail(status);
  }
  return exit_status;
}

int ObeyAll(const Members& members, ControlCommand command) {
  return ForAll(members, [command](const ControlledSession::Member& member) { return Obey(member.process, command); });
}

template <typename Then>
int Capture(const ControlledSession& session, const Members& members, const CtlOptions& options, const Then& then) {
  for (const ControlledSession::Member& member : members.recording) {
    AskToFlush(member.process);
  }
  SessionContents contents;
  contents.ReadDirectory(session.held_path());
  for (std::string& warning : contents.warnings) warning = session.WithPath(warning);
  return WriteCapture(std::move(contents), options, then);
}

int Stop(const ControlledSession& session, const Members& members, const CtlOptions& options) {
  if (options.output.empty()) return ObeyAll(members, ControlCommand::kStop);
  int stopped = 0;
  const int written = Capture(session, members, options, [&] {
    stopped = ObeyAll(members, ControlCommand::kStop);
    return absl::OkStatus();
  });
  return std::max(stopped, written);
}

int Run(std::string_view command, const ControlledSession& session, const CtlOptions& options) {
  const Members members = session.FindMembers();
  for (const absl::Status& error : members.errors) Fail(error);
  const int unseen = members.errors.empty() ? 0 : 1;
  if (command == "status") return std::max(unseen, Status(session, members));
  if (command == "capture") {
    return std::max(unseen, Capture(session, members, options, [] { return absl::OkStatus(); }));
  }
  if (members.recording.empty()) return unseen != 0 ? 1 : Fail(Concat(session.path(), ": no process records into it"));
  if (command == "stop") return std::max(unseen, Stop(session, members, options));
  if (command == "pause") return std::max(unseen, ObeyAll(members, ControlCommand::kPause));
  if (command == "resume") return std::max(unseen, ObeyAll(members, ControlCommand::kResume));
  if (options.capacity_given)
    return Fail(Concat(session.path(), ": its recorder holds the limit, so --capacity cannot change it"));
  const auto set = [&options](const ControlledSession::Member& member) {
    return ChangeSettings(member.process, member.segment, options);
  };
  return std::max(unseen, ForAll(members, set));
}

// --- the command line ---

const std::vector<std::string>& Commands() {
  static const std::vector<std::string> commands = {"list",  "status", "start", "stop",
                                                    "pause", "resume", "set",   "capture"};
  return commands;
}

// Returns what is wrong with the words of the command line, or an empty text.
std::string WordsFault(const std::vector<std::string>& words) {
  const std::string& command = words.front();
  if (std::ranges::find(Commands(), command) == Commands().end()) {
    return Concat(command, " is none of ", absl::StrJoin(Commands(), ", "));
  }
  const size_t wanted = command == "list" ? 1 : 2;
  const std::string_view operand = command == "start" ? "PID" : "PID or SESSION";
  if (words.size() < wanted) return Concat(command, ": ", operand, " is required (ctl list shows what there is)");
  if (words.size() > wanted)
    return Concat(words[wanted], ": ", command, wanted == 1 ? " takes no PID" : " takes one PID");
  return "";
}

// Likewise for the options.
std::string OptionsFault(const std::string& command, const std::string& format_name, CtlOptions& options) {
  if (command == "capture" && options.output.empty()) return "capture: -o FILE is required";
  if (format_name != "processed" && format_name != "gecko") {
    return Concat("--format: ", format_name, " is neither gecko nor processed");
  }
  if (format_name == "gecko") options.format = OutputFormat::kGecko;
  if (std::string fault = options.Check(); !fault.empty()) return fault;
  const bool has_setting = !options.Variables().empty();
  if (has_setting && command != "start" && command != "set") {
    return Concat(command, ": the options are for start and set");
  }
  if (!options.last.empty()) {
    options.last_ns = ParseTimeNs(options.last).value_or(0);
    if (command != "capture") return Concat(command, ": --last is for capture");
    if (options.last_ns <= 0) return Concat("--last: ", options.last, " is not a time such as 30s or 5min");
  }
  if (command == "set") {
    if (const std::string fault = FaultOfChange(options); !fault.empty()) return Concat("set: ", fault);
  }
  const bool takes_output = command == "start" || command == "stop" || command == "capture";
  return !options.output.empty() && !takes_output ? Concat(command, " takes no -o") : "";
}

std::optional<pid_t> ParsePid(std::string_view word) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), pid);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return pid;
}

// Runs a command for a process or a session.
int RunFor(const std::string& command, const std::string& target, const CtlOptions& options) {
  const std::optional<pid_t> pid = ParsePid(target);
  if (!pid.has_value() && command == "start") return Fail(Concat(target, " is no number of a process"), 2);
  if (command != "start" && !options.output.empty()) {
    if (absl::Status writable = OutputFile::CheckWritable(options.output); !writable.ok()) return Fail(writable);
  }
  if (pid.has_value()) {
    const absl::StatusOr<ControllableProcess> process = FindControllable(*pid);
    return process.ok() ? Run(command, *process, options) : Fail(process.status());
  }
  const absl::StatusOr<ControlledSession> session = ControlledSession::Open(target);
  return session.ok() ? Run(command, *session, options) : Fail(session.status());
}

}  // namespace

int CtlMain(std::span<char* const> args) {
  CtlOptions options;
  std::vector<std::string> words;
  std::string format_name = "processed";
  CommandOptions parser("ctl", "Steers the recording of a process that runs.", kExamples);
  parser.Positionals("COMMAND [PID|SESSION]", &words, Concat("one of ", absl::StrJoin(Commands(), ", ")));
  parser.OfferOperands({ValueHint::Kind::kWords, Commands()});
  parser.Text("-o,--output", &options.output, "FILE",
              "capture, stop: the profile; start: the profile that the process writes at its end");
  parser.Text("--format", &format_name, "FORMAT", "processed (symbolicated; the default) or gecko (raw)");
  parser.Text("--last", &options.last, "TIME", "capture: the data of the last TIME (30s, 5min) alone");
  parser.Flag("-q,--quiet", &options.quiet, "no messages but warnings and errors");
  options.AddTo(parser);
  parser.Offer("--output", {ValueHint::Kind::kFiles, ProfileEndings()});
  parser.Offer("--last", {ValueHint::Kind::kWords, {"10s", "30s", "1min", "5min"}});
  parser.Offer("--format", {ValueHint::Kind::kWords, {"processed", "gecko"}});
  if (const std::optional<int> status = parser.Parse(args)) return *status;
  std::string fault = WordsFault(words);
  if (fault.empty()) fault = OptionsFault(words.front(), format_name, options);
  if (!fault.empty()) return Fail(fault, 2);
  return words.front() == "list" ? List() : RunFor(words.front(), words[1], options);
}

}  // namespace geckoprof
