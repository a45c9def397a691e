#include "tools/record/attached_recording.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string_view>

#include "geckoprof/base/clock.h"
#include "geckoprof/config/start_number.h"
#include "geckoprof/control/controllable_process.h"
#include "geckoprof/control/followed_processes.h"
#include "tools/processed_format/end_text.h"
#include "tools/record/flight_recorder.h"
#include "tools/record/machine_counters.h"
#include "tools/record/module_watch.h"
#include "tools/record/process_counters.h"
#include "tools/record/process_ends.h"
#include "tools/record/profile_making.h"
#include "tools/record/session_contents.h"
#include "tools/record/session_directory.h"
#include "tools/record/session_watch.h"
#include "tools/record/session_window.h"
#include "tools/record/writing_signals.h"
#include "tools/support/output_file.h"
#include "tools/support/process_state.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

constexpr int kNewsSignal = SIGIO;  // a new segment is in the session

int FailToAttach(std::string_view message) {
  fprintf(stderr, "geckoprof record: %s\n", CleanText(message).c_str());
  return 1;
}

// Returns the words of a process's command line, or its name alone.
std::vector<std::string> CommandOf(const ControllableProcess& process, bool no_arguments) {
  std::vector<std::string> words = ReadCommandLine(process.pid());
  if (words.empty()) words.push_back(process.name());
  if (no_arguments) words.resize(1);
  return words;
}

// Lets the process write to the session. Returns what is wrong, or an empty text.
std::string OpenTo(const ControllableProcess& process, const SessionDirectory& session) {
  if (process.user() != geteuid() && chown(session.path().c_str(), process.user(), static_cast<gid_t>(-1)) != 0) {
    return Concat(session.path(), ": ", strerror(errno));
  }
  struct stat here = {}, there = {};
  const std::string seen = Concat(process.folder(), "/root", session.path());
  if (stat(session.path().c_str(), &here) != 0 || stat(seen.c_str(), &there) != 0 || here.st_ino != there.st_ino ||
      here.st_dev != there.st_dev) {
    return Concat(process.title(), " has file systems of its own and does not reach ", session.path(),
                  ": run `geckoprof record` where it does, or set TMPDIR to a folder of both");
  }
  return "";
}

// The variables of the process that do not hold, because the recorder writes the profile.
bool IsOfRecorder(std::string_view line) {
  constexpr std::string_view kNames[] = {"GECKOPROF_SHUTDOWN=", "GECKOPROF_SESSION_DIR=", "GECKOPROF_HELP="};
  return std::ranges::any_of(kNames, [line](std::string_view name) { return line.starts_with(name); });
}

std::vector<std::string> SettingsFor(const RecordOptions& options, const ControllableProcess& process,
                                     const SessionDirectory& session) {
  std::vector<std::string> inherited = process.Settings();
  std::erase_if(inherited, IsOfRecorder);
  inherited.insert(inherited.begin(), Concat("GECKOPROF_SESSION_DIR=", session.path()));
  return options.Settings(inherited);
}

// The signals that end the recording, and the one of news. A signal that was ignored from the start (nohup(1)) stays
// so.
class EndingSignals {
 public:
  // `captures` is SIGUSR1, or 0 if no signal asks for a capture.
  explicit EndingSignals(int captures) : captures_(captures) {
    sigemptyset(&set_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, captures}) {
      struct sigaction action = {};
      if (number == 0 || sigaction(number, nullptr, &action) != 0) continue;
      if (action.sa_handler != SIG_IGN) sigaddset(&set_, number);
    }
    sigaddset(&set_, kNewsSignal);
    sigprocmask(SIG_BLOCK, &set_, nullptr);
  }
  enum class Came : uint8_t { kNothing, kEnd, kCapture };
  Came Await(int64_t most_ns) const {
    const int64_t rest_ns = std::max<int64_t>(most_ns, 0);
    const timespec timeout = {rest_ns / kNsPerSecond, rest_ns % kNsPerSecond};
    const int number = sigtimedwait(&set_, nullptr, &timeout);
    if (number <= 0 || number == kNewsSignal) return Came::kNothing;
    return number == captures_ ? Came::kCapture : Came::kEnd;
  }

 private:
  const int captures_;
  sigset_t set_;
};

int64_t DurationNs(const RecordOptions& options) {
  constexpr unsigned kNsDecimals = 9;
  const std::optional<uint64_t> ns = ParseFixedPoint(options.duration, kNsDecimals);
  return ns.has_value() && *ns != 0 ? static_cast<int64_t>(*ns) : INT64_MAX;
}

// Returns the ns until the next look at the followed processes. They take at most two percent of one core.
int64_t LookAt(FollowedProcesses& followed) {
  constexpr int64_t kUsualPauseNs = 10 * kNsPerMs, kPatienceNs = 50 * kNsPerMs;
  constexpr int64_t kRestShare = 50;
  const int64_t begin_cpu_ns = CurrentThreadCpuNs();
  followed.Look(kPatienceNs);
  return std::max(kUsualPauseNs, (CurrentThreadCpuNs() - begin_cpu_ns) * kRestShare);
}

// Waits until the recording is to end.
void Await(const RecordOptions& options, const ControllableProcess& process, const EndingSignals& signals,
           const SessionDirectory& session, FollowedProcesses& followed, HeldFiles& held_files,
           std::optional<FlightRecorder>& flight, ModuleWatch::Mounts mounts, uint32_t machine_features,
           CounterFile& counter_file) {
  SessionWatch watch(session.held_path(), options.capacity_bytes, options.flight_ns);
  ModuleWatch modules(session.path(), kNewsSignal, &held_files, std::move(mounts), options.flight_ns);
  if (flight.has_value()) {
    watch.BeforeArchiving([&flight](const std::string& segment) { flight->LookAtEnded(segment); });
  }
  const int64_t begin_ns = MonotonicNs(), duration_ns = DurationNs(options);
  ProcessCounters counters(session.held_path(), counter_file);
  MachineCounters machine(machine_features, MachineRootsNow(), counter_file);
  int64_t session_due_ns = 0, children_due_ns = 0, counters_due_ns = 0;
  while (!process.HasEnded() && MonotonicNs() - begin_ns < duration_ns) {
    if (MonotonicNs() >= session_due_ns) session_due_ns = MonotonicNs() + watch.Look();
    if (MonotonicNs() >= children_due_ns) children_due_ns = MonotonicNs() + LookAt(followed);
    if (MonotonicNs() >= counters_due_ns) counters_due_ns = MonotonicNs() + counters.Look();
    const int64_t modules_ns = modules.Look(MonotonicNs());
    const int64_t machine_ns = machine.Look(MonotonicNs());
    const int64_t rest_ns = duration_ns - (MonotonicNs() - begin_ns);
    const int64_t flight_ns = flight.has_value() ? flight->Look() : INT64_MAX;
    const int64_t due_ns = std::min({session_due_ns, children_due_ns, counters_due_ns}) - MonotonicNs();
    const auto came = signals.Await(std::min({due_ns, modules_ns, machine_ns, rest_ns, flight_ns}));
    if (came == EndingSignals::Came::kEnd) break;
    if (came == EndingSignals::Came::kCapture) flight->Ask("SIGUSR1");
  }
  machine.LookNow(MonotonicNs());
}

// A process that runs already, and what the profiles of its recording have in common.
struct Attached {
  const ControllableProcess& process;
  NamespacedPid program;         // as the process knows itself
  std::vector<char*> arguments;  // of its command line
  HeldFiles held_files = {};

  ProfileRequest RequestFor(const RecordOptions& options) const {
    return {.output = options.output,
            .numbers = options.flight_ns != 0   ? OutputFile::Numbers::kAlways
                       : options.default_output ? OutputFile::Numbers::kIfTaken
                                                : OutputFile::Numbers::kNever,
            .format = options.format,
            .quiet = options.quiet,
            .arguments = arguments,
            .exit_status = std::nullopt,
            .first_pid = program.pid,
            .held_files = &held_files};
  }
  SessionContents Read(const std::string& folder) const {
    SessionContents contents;
    contents.ReadDirectory(folder);
    if (const std::optional<int> status = ProcessEnds::StatusOf(process.descriptor())) {
      contents.known_ends[program] = SessionContents::KnownEnd::Of(*status);
    }
    contents.Finish();
    return contents;
  }
};

// Returns how the process ended, or an empty text if it ended well.
std::string BadEndOf(const NamespacedPid& program, const SessionContents& contents) {
  std::string end;
  for (const ProcessProfile& process : contents.processes) {
    if (process.pid == program.pid) end = EndText(process);
  }
  return end == ExitText(0) ? "" : end;
}

// Returns OK without a profile if none is to be made.
absl::Status MakeAttachedProfile(const RecordOptions& options, const Attached& attached, const std::string& session,
                                 int64_t end_ns, bool is_every_end_wanted, bool& recorded) {
  SessionContents contents = attached.Read(session);
  recorded = !contents.processes.empty();
  ProfileRequest request = attached.RequestFor(options);
  if (options.flight_ns != 0) {
    const bool has_ended = attached.process.HasEnded();
    const std::string bad_end = has_ended ? BadEndOf(attached.program, contents) : "";
    if (bad_end.empty() && !is_every_end_wanted) {
      if (!options.quiet) fputs(kGoodEndNote, stderr);
      return absl::OkStatus();
    }
    TrimToWindow(end_ns - options.flight_ns, contents);
    const std::string how =
        !has_ended ? "the recording ended" : Concat("the process ended: ", bad_end.empty() ? ExitText(0) : bad_end);
    request.cause = FlightRecorder::CauseText(options.flight_ns, how);
  }
  return MakeProfile(std::move(contents), request);
}

}  // namespace

int RecordAttached(RecordOptions& options) {
  std::string why;
  const std::optional<ControllableProcess> process = ControllableProcess::Find(options.pid, why);
  if (!process.has_value()) return FailToAttach(why);
  if (options.output.empty()) {
    options.output = DefaultOutputName(process->name());
    options.default_output = true;
  }
  const absl::StatusOr<Fd> held_output = OutputFile::CheckAndHold(options.output);
  if (!held_output.ok()) return FailToAttach(std::string(held_output.status().message()));
  absl::StatusOr<SessionDirectory> session = SessionDirectory::Create(options.capacity_bytes);
  if (!session.ok()) return FailToAttach(std::string(session.status().message()));
  const std::vector<std::string> command = CommandOf(*process, options.no_arguments);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  session->NoteCommand(words);
  if (const std::string fault = OpenTo(*process, *session); !fault.empty()) return FailToAttach(fault);
  const std::vector<std::string> settings = SettingsFor(options, *process, *session);
  FollowedProcesses followed(options.pid, process->user(), settings);
  const pid_t inner_pid = PidNamespaces::InnermostPid(process->folder());
  Attached attached{
      *process,
      PidNamespaces().NameOf(PidNamespaces::NumberOf(process->folder()), inner_pid != 0 ? inner_pid : process->pid()),
      std::move(words)};
  std::optional<FlightRecorder> flight;
  if (options.flight_ns != 0) {
    flight.emplace(options, *session, process->pid(), attached.RequestFor(options),
                   [&attached](const std::string& folder) { return attached.Read(folder); });
  }
  ModuleWatch::Mounts mounts = ModuleWatch::MountsNow();
  const EndingSignals signals(flight.has_value() ? SIGUSR1 : 0);
  CounterFile counter_file(session->held_path(), options.capacity_bytes);
  (void)counter_file.Make();
  if (!process->Obey(ControlCommand::kStart, settings, why)) return FailToAttach(why);
  if (!options.quiet) {
    fprintf(stderr, "geckoprof: recording %s until Ctrl-C or its end\n", CleanText(process->title()).c_str());
  }
  Await(options, *process, signals, *session, followed, attached.held_files, flight, std::move(mounts),
        RecorderFeatures(settings), counter_file);
  const int64_t end_ns = MonotonicNs();
  (void)process->Send(ControlCommand::kStop, {}, ControllableProcess::kPatienceNs, why);
  followed.Command(ControlCommand::kStop, ControllableProcess::kPatienceNs);
  WritingSignals::Begin(session->path(), end_ns);
  if (flight.has_value()) flight->Finish();
  const bool is_every_end_wanted = flight.has_value() && flight->wants_every_end();
  bool recorded = true;
  const absl::Status made =
      MakeAttachedProfile(options, attached, session->path(), end_ns, is_every_end_wanted, recorded);
  if (made.ok()) return 0;
  FailToAttach(std::string(made.message()));
  if (recorded) {
    fprintf(stderr, "geckoprof: the data is kept: geckoprof recover %s -o FILE\n", CleanText(session->path()).c_str());
    session->Keep();
  }
  return 1;
}

}  // namespace geckoprof
