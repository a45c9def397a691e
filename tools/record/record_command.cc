#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "tools/options/commands.h"
#include "tools/processed_format/end_text.h"
#include "tools/record/attached_recording.h"
#include "tools/record/flight_recorder.h"
#include "tools/record/inherited_descriptors.h"
#include "tools/record/launch_environment.h"
#include "tools/record/machine_counters.h"
#include "tools/record/module_watch.h"
#include "tools/record/process_counters.h"
#include "tools/record/process_ends.h"
#include "tools/record/profile_making.h"
#include "tools/record/program_inspection.h"
#include "tools/record/program_process.h"
#include "tools/record/public_library.h"
#include "tools/record/record_options.h"
#include "tools/record/session_contents.h"
#include "tools/record/session_directory.h"
#include "tools/record/session_watch.h"
#include "tools/record/session_window.h"
#include "tools/record/tree_watch.h"
#include "tools/record/unrecorded_processes.h"
#include "tools/record/writing_signals.h"
#include "tools/support/memory_reserve.h"
#include "tools/support/output_file.h"
#include "tools/support/own_process.h"
#include "tools/support/process_state.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

// Room for a segment and for a small profile.
constexpr uint64_t kLeastFileBytes = uint64_t{1} << 20;

// One line on stderr. Returns the status, to be returned.
int Fail(std::string_view message, int exit_status) {
  fprintf(stderr, "geckoprof record: %s\n", CleanText(message).c_str());
  return exit_status;
}

// Descriptors 0 to 2 that are closed get a stand-in, so that no file of ours takes their number. It closes at exec: the
// program finds them closed, as it would without us.
void OccupyStandardDescriptors() {
  int fd = 0;
  do {
    fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) close(fd);
}

// How many seccomp filters this process is under, in digits; empty where the kernel does not say (before 5.9).
std::string SeccompFilters() { return ReadStatusField("/proc/self", "Seccomp_filters").value_or(""); }

// The libraries that the program gets. It has the hooks only if a feature needs them.
struct PreloadedLibraries {
  PublicLibrary base;
  std::optional<PublicLibrary> hooks = {};
};

void FillEnvironment(const RecordOptions& options, const PreloadedLibraries& libraries, const std::string& session,
                     LaunchEnvironment& environment) {
  environment.PrependPreload(libraries.base.path());
  // The hooks call those of base, which are the last before libc.
  if (libraries.hooks.has_value()) environment.PrependPreload(libraries.hooks->path());
  environment.AllowPreloadBesideSanitizer();
  environment.Set("GECKOPROF_STARTUP", "1");
  environment.Set("GECKOPROF_SESSION_DIR", session);
  if (const std::string filters = SeccompFilters(); !filters.empty()) {
    environment.Set("GECKOPROF_SECCOMP_FILTERS", filters);
  }
  environment.Remove("GECKOPROF_HELP");
  environment.Remove("GECKOPROF_SHUTDOWN");  // the recorder writes the profile
  if (options.flight_ns != 0) environment.Remove("GECKOPROF_STARTUP_DURATION");
  for (const StartOptions::Variable& variable : options.Variables()) environment.Set(variable.name, variable.value);
  for (const StartOptions::Variable& variable : options.HookVariables()) {
    environment.Set(variable.name, variable.value);
  }
  if (!options.features.empty()) environment.Remove("GECKOPROF_STARTUP_FEATURES_BITFIELD");
}

// The option, or, where it was not given, the variable that the program inherits.
std::string OptionOr(const std::string& option, const char* variable) {
  const char* const inherited = getenv(variable);
  return !option.empty() || inherited == nullptr ? option : inherited;
}

std::vector<std::string> InheritedLines() {
  std::vector<std::string> lines;
  for (const char* const* line = environ; *line != nullptr; ++line) lines.emplace_back(*line);
  return lines;
}

// Which of the shell's limits a process that cannot be started may have met.
std::string_view LimitBehind(int error) {
  if (error == EMFILE) return " (is there a low ulimit -n?)";
  if (error == EAGAIN) return " (is there a low ulimit -u?)";
  return "";
}

// A recording, as far as the recorder has come.
struct Recorded {
  const RecordOptions& options;
  SessionDirectory& session;
  ProgramProcess& process;
  const PreloadedLibraries& libraries;
  HeldFiles held_files = {};
  ProcessEnds others;
  std::optional<TreeWatch> tree = {};  // of the program, once it runs
  ProgramProcess::End end = {};
  int64_t end_ns = 0;
  std::optional<FlightRecorder> flight = {};  // if asked for
};

SessionContents ReadSession(const Recorded& recorded, const std::string& folder);

void BeginFlight(Recorded& recorded) {
  const RecordOptions& options = recorded.options;
  recorded.flight.emplace(options, recorded.session, recorded.process.pid(),
                          ProfileRequest{.output = options.output,
                                         .numbers = OutputFile::Numbers::kAlways,
                                         .format = options.format,
                                         .quiet = options.quiet,
                                         .arguments = options.RecordedWords(),
                                         .exit_status = std::nullopt,
                                         .first_pid = recorded.process.pid(),
                                         .held_files = &recorded.held_files},
                          [&recorded](const std::string& folder) { return ReadSession(recorded, folder); });
  struct sigaction action = {};
  sigaction(SIGUSR1, nullptr, &action);
  if (action.sa_handler != SIG_IGN) recorded.process.Keep(SIGUSR1);
}

// Runs the program to its end. False: it never began, and the line is printed.
bool Run(const std::string& path, const InheritedDescriptors& inherited, LaunchEnvironment& environment,
         Recorded& recorded) {
  const RecordOptions& options = recorded.options;
  const SessionDirectory& session = recorded.session;
  ProgramProcess& process = recorded.process;
  ProgramProcess::End& end = recorded.end;
  ModuleWatch::Mounts mounts = ModuleWatch::MountsNow();
  CounterFile counter_file(session.held_path(), options.capacity_bytes);
  (void)counter_file.Make();
  MachineCounters machine(RecorderFeatures(options.Settings(InheritedLines())), MachineRootsNow(), counter_file);
  machine.LookNow(MonotonicNs());
  const ProgramProcess::Failure failure = process.Start(path.c_str(), options.program.data(), environment);
  if (failure.step == ProgramProcess::Step::kFork) {
    end.exit_status =
        Fail(Concat("cannot start another process: ", strerror(failure.error), LimitBehind(failure.error)), 1);
    return false;
  }
  if (failure.step == ProgramProcess::Step::kExec) {
    end.exit_status = Fail(Concat(path, ": ", strerror(failure.error)),
                           failure.error == ENOENT ? kStatusNotFound : kStatusNotExecutable);
    return false;
  }
  inherited.GiveUp(options.output);
  SessionWatch watch(session.held_path(), options.capacity_bytes, options.flight_ns);
  ModuleWatch modules(session.path(), ProgramProcess::kLookSignal, &recorded.held_files, std::move(mounts),
                      options.flight_ns);
  std::optional<FlightRecorder>& flight = recorded.flight;
  if (options.flight_ns != 0) {
    BeginFlight(recorded);
    watch.BeforeArchiving([&flight](const std::string& segment) { flight->LookAtEnded(segment); });
  }
  ProcessCounters counters(session.held_path(), counter_file);
  recorded.tree.emplace(session.path(), process.pid(), !options.no_arguments);
  int64_t session_due_ns = 0, counters_due_ns = 0;
  end = process.Wait([&] {
    if (process.TakeKept()) flight->Ask("SIGUSR1");
    const int64_t others_ns = std::min(recorded.others.Look(MonotonicNs()), recorded.tree->Look(MonotonicNs()));
    if (MonotonicNs() >= session_due_ns) session_due_ns = MonotonicNs() + watch.Look();
    if (MonotonicNs() >= counters_due_ns) counters_due_ns = MonotonicNs() + counters.Look();
    const int64_t flight_ns = flight.has_value() ? flight->Look() : INT64_MAX;
    const int64_t modules_ns = modules.Look(MonotonicNs());
    const int64_t machine_ns = machine.Look(MonotonicNs());
    // Long enough for a capture whose profile is still being made.
    if (flight.has_value()) recorded.tree->Forget(MonotonicNs() - 2 * options.flight_ns);
    const int64_t due_ns = std::min(session_due_ns, counters_due_ns) - MonotonicNs();
    return std::min({due_ns, others_ns, modules_ns, machine_ns, flight_ns});
  });
  recorded.end_ns = MonotonicNs();
  machine.LookNow(recorded.end_ns);
  if (process.TakeKept()) flight->Ask("SIGUSR1");
  recorded.others.CollectEnds();
  recorded.tree->CollectEnds();
  process.HandOverSignals();
  WritingSignals::Begin(session.path(), MonotonicNs());
  return true;
}

// What can be found out before the program starts. 0: all is well, else the exit status. `held_output` is to be kept
// until the profile is written.
int CheckBeforeStart(RecordOptions& options, std::string& program_path, Fd& held_output) {
  FoundProgram found = FindProgram(options.program.front(), getenv("PATH"));
  if (!found.error.empty()) return Fail(found.error, found.exit_status);
  const ProgramVerdict verdict = InspectProgram(found.path);
  if (!verdict.error.empty()) return Fail(verdict.error, verdict.exit_status);
  if (!verdict.note.empty() && !options.quiet) {
    fprintf(stderr, "geckoprof: note: %s\n", CleanText(verdict.note).c_str());
  }
  if (options.output.empty()) {
    options.output = DefaultOutputName(found.path);
    options.default_output = true;
  }
  rlimit file_size = {};
  if (getrlimit(RLIMIT_FSIZE, &file_size) == 0 && file_size.rlim_cur < kLeastFileBytes) {
    signal(SIGXFSZ, SIG_IGN);  // the message itself may go to a file
    return Fail(Concat("files may have no more than ", file_size.rlim_cur, " bytes (ulimit -f): a recording needs ",
                       kLeastFileBytes),
                1);
  }
  if (LeadToOneFile(options.output, found.path)) {
    return Fail(Concat("the profile cannot be written to ", options.output, ": that is the program"), 2);
  }
  absl::StatusOr<Fd> writable = OutputFile::CheckAndHold(options.output);
  if (!writable.ok()) return Fail(std::string(writable.status().message()), 1);
  held_output = *std::move(writable);
  program_path = std::move(found.path);
  return 0;
}

// The copy of the library goes with the recording: who looks for its symbols later finds the original.
void NameOriginal(const PublicLibrary& library, SessionContents& contents) {
  contents.processes.AmendAll([path = library.path(), original = library.original()](size_t, ProcessProfile& process) {
    for (LibraryRow& row : process.libraries) {
      if (row.path == path) row.path = original;
    }
  });
}

void NameOriginals(const PreloadedLibraries& libraries, SessionContents& contents) {
  NameOriginal(libraries.base, contents);
  if (libraries.hooks.has_value()) NameOriginal(*libraries.hooks, contents);
}

// Removes the copies that nobody has.
void RemoveCopies(PreloadedLibraries& libraries, bool quiet) {
  std::string kept;
  if (!libraries.base.Remove()) kept = libraries.base.path();
  if (libraries.hooks.has_value() && !libraries.hooks->Remove()) {
    kept += Concat(kept.empty() ? "" : " and ", libraries.hooks->path());
  }
  if (kept.empty() || quiet) return;
  fprintf(stderr,
          "geckoprof: note: processes go on that preload %s: it stays (geckoprof recover --remove-stale removes it "
          "when they have ended)\n",
          CleanText(kept).c_str());
}

// Returns the end as a shell prints it.
std::string EndLine(const ProgramProcess::End& end) {
  if (end.signal == 0) return ExitText(end.exit_status);
  return Concat(SignalDescription(end.signal), end.dumped ? " (core dumped)" : "");
}

// Reads what the session has by now. `folder` is the session's, or a snapshot of it.
SessionContents ReadSession(const Recorded& recorded, const std::string& folder) {
  SessionContents contents;
  contents.ReadDirectory(folder);
  for (const auto& [pid, other] : recorded.others.ends()) {
    contents.known_ends[pid] = SessionContents::KnownEnd::Of(other.status);
  }
  for (const auto& [pid, status] : recorded.tree->statuses()) {
    contents.known_ends[pid] = SessionContents::KnownEnd::Of(status);
  }
  contents.unrecorded = recorded.tree->Unrecorded();
  if (recorded.end_ns != 0) {
    SessionContents::KnownEnd& own_end = contents.known_ends[recorded.process.pid()];
    own_end = SessionContents::KnownEnd::Of(W_EXITCODE(recorded.end.exit_status, recorded.end.signal));
    own_end.name = recorded.end.name;
  }
  contents.Finish();
  NameOriginals(recorded.libraries, contents);
  return contents;
}

// Makes the profile. Sets `has_data` if there is anything to make it from.
absl::Status MakeSessionProfile(const Recorded& recorded, bool& has_data) {
  const RecordOptions& options = recorded.options;
  const ProgramProcess::End& end = recorded.end;
  const std::string& session = recorded.session.path();
  const std::string filters = OptionOr(options.threads, "GECKOPROF_STARTUP_FILTERS");
  const std::string duration = OptionOr(options.duration, "GECKOPROF_STARTUP_DURATION");
  SessionContents contents = ReadSession(recorded, session);
  has_data = !contents.processes.empty();
  contents.NoteLate(ProcessesOfSession(session));
  std::vector<ProcessFacts> processes = contents.processes.TakeAllFacts();
  for (ProcessFacts& each : processes) {
    if (*each.end_reason == "alive") each.problems.emplace_back("It goes on, and is not recorded any more");
  }
  contents.processes.SetAllFacts(std::move(processes));
  const bool is_flight = options.flight_ns != 0;
  std::string cause;
  if (is_flight) {
    TrimToWindow(recorded.end_ns - options.flight_ns, contents);
    cause = FlightRecorder::CauseText(options.flight_ns, Concat("the program ended: ", EndLine(end)));
  }
  if (has_data && !is_flight && !options.quiet && !filters.empty() && contents.SampleCount() == 0) {
    fprintf(stderr, "geckoprof: note: nothing was sampled: did no thread have a name with one of %s \"%s\"?\n",
            options.threads.empty() ? "GECKOPROF_STARTUP_FILTERS" : "--threads", CleanText(filters).c_str());
  }
  return MakeProfile(std::move(contents), {.output = options.output,
                                           .numbers = is_flight                ? OutputFile::Numbers::kAlways
                                                      : options.default_output ? OutputFile::Numbers::kIfTaken
                                                                               : OutputFile::Numbers::kNever,
                                           .format = options.format,
                                           .quiet = options.quiet,
                                           .arguments = options.RecordedWords(),
                                           .exit_status = end.ShellStatus(),
                                           .end = EndLine(end),
                                           .program_cpu_ns = is_flight ? -1 : end.cpu_ns,
                                           .has_all_threads = filters.empty() && duration.empty(),
                                           .first_pid = recorded.process.pid(),
                                           .held_files = &recorded.held_files,
                                           .cause = std::move(cause)});
}

// A recording of which the profile is to be made.
struct Making {
  SessionDirectory* session;
  int status;  // the program's
  bool recorded = true;
};

std::string WhereDataIsKept(const SessionDirectory& session) {
  return Concat("geckoprof: the data is kept: geckoprof recover ", CleanText(session.path()), " -o FILE\n");
}

int KeepData(const Making& making) {
  if (making.recorded) {
    fputs(WhereDataIsKept(*making.session).c_str(), stderr);
    making.session->Keep();
  }
  return making.status;
}

int FailWithoutMemory(void* context) {
  Making& making = *static_cast<Making*>(context);
  Fail("not enough memory to make the profile (is there a low ulimit -v or -d?)", 1);
  const int status = KeepData(making);
  making.session->Remove();
  return status;
}

// What is to be done when the program has ended. Returns its exit status, also without a profile: a script must not
// take the profile's failure for the program's.
int Finish(Recorded& recorded) {
  SessionDirectory& session = recorded.session;
  Making making{&session, recorded.end.ShellStatus()};
  if (recorded.flight.has_value()) {
    recorded.flight->Finish();
    if (making.status == 0 && !recorded.flight->wants_every_end()) {
      if (!recorded.options.quiet) fputs(kGoodEndNote, stderr);
      return making.status;
    }
  }
  const MemoryReserve::Instead instead({&FailWithoutMemory, &making});
  const CrashKeeper keeper(
      Concat("geckoprof record: the profile could not be made: the recorder crashed (not enough memory or stack?)\n",
             WhereDataIsKept(session)),
      making.status);
  try {
    const absl::Status made = MakeSessionProfile(recorded, making.recorded);
    if (made.ok()) return making.status;
    Fail(std::string(made.message()), 1);
  } catch (const std::bad_alloc&) {
    return FailWithoutMemory(&making);
  }
  return KeepData(making);
}

// Sets `end` if the program has run.
int Record(std::span<char* const> args, ProgramProcess::End& end) {
  RecordOptions options;
  if (const std::optional<int> status = options.Parse(args)) return *status;
  const InheritedDescriptors inherited;
  OccupyStandardDescriptors();
  if (options.pid != 0) return RecordAttached(options);
  std::string program_path;
  Fd held_output;
  if (const int status = CheckBeforeStart(options, program_path, held_output); status != 0) return status;
  const absl::StatusOr<std::string> library = FindLibrary(kBaseLibrary);
  if (!library.ok()) return Fail(std::string(library.status().message()), 1);
  std::optional<absl::StatusOr<std::string>> hooks;
  if (options.AsksFor(kHookFeatures)) hooks = FindLibrary(kHooksLibrary);
  if (hooks.has_value() && !hooks->ok()) return Fail(std::string(hooks->status().message()), 1);
  absl::StatusOr<SessionDirectory> session = SessionDirectory::Create(options.capacity_bytes);
  if (!session.ok()) return Fail(std::string(session.status().message()), 1);
  if (session->free_bytes() < options.capacity_bytes && !options.quiet) {
    fprintf(stderr,
            "geckoprof: note: only %llu MiB are free for recorded data in %s: older data may be dropped early\n",
            static_cast<unsigned long long>(session->free_bytes() >> 20), CleanText(session->path()).c_str());
  }

  session->NoteCommand(options.RecordedWords());

  LaunchEnvironment environment(environ);
  PreloadedLibraries preloaded{PublicLibrary(*library)};
  if (hooks.has_value()) preloaded.hooks.emplace(**hooks);
  FillEnvironment(options, preloaded, session->path(), environment);
  ProgramProcess process(session->path());
  Recorded recorded{.options = options,
                    .session = *session,
                    .process = process,
                    .libraries = preloaded,
                    .others = ProcessEnds(session->path(), options.flight_ns)};
  const bool has_run = Run(program_path, inherited, environment, recorded);
  end = recorded.end;
  if (!has_run) return end.exit_status;
  // Now: where the making of the profile ends this process, nothing else does.
  RemoveCopies(preloaded, options.quiet);
  return Finish(recorded);
}

}  // namespace

int RecordMain(std::span<char* const> args) {
  ProgramProcess::End end;
  const int status = Record(args, end);
  // By a signal from the keyboard, as without us: a shell tells by it that its loop is over, too.
  if (end.signal == SIGINT || end.signal == SIGQUIT) {
    fflush(nullptr);
    EndBySignal(end.signal);
  }
  return status;
}

}  // namespace geckoprof
