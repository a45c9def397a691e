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
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "tools/options/commands.h"
#include "tools/processed_format/end_text.h"
#include "tools/record/inherited_descriptors.h"
#include "tools/record/launch_environment.h"
#include "tools/record/module_watch.h"
#include "tools/record/process_ends.h"
#include "tools/record/profile_making.h"
#include "tools/record/program_inspection.h"
#include "tools/record/program_process.h"
#include "tools/record/public_library.h"
#include "tools/record/record_options.h"
#include "tools/record/session_contents.h"
#include "tools/record/session_directory.h"
#include "tools/record/unrecorded_processes.h"
#include "tools/record/writing_signals.h"
#include "tools/support/memory_reserve.h"
#include "tools/support/output_file.h"
#include "tools/support/own_process.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

// What all segments of a session may take together, in capacities.
constexpr uint64_t kSessionShare = 8;

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
std::string SeccompFilters() {
  constexpr std::string_view kKey = "\nSeccomp_filters:\t";
  std::string status;
  if (ReadWholeFile("/proc/self/status", status) != 0) return "";
  const size_t at = status.find(kKey);
  if (at == std::string::npos) return "";
  const size_t begin = at + kKey.size();
  return status.substr(begin, status.find('\n', begin) - begin);
}

void FillEnvironment(const RecordOptions& options, const std::string& library, const std::string& session,
                     LaunchEnvironment& environment) {
  environment.PrependPreload(library);
  environment.Set("GECKOPROF_STARTUP", "1");
  environment.Set("GECKOPROF_SESSION_DIR", session);
  if (const std::string filters = SeccompFilters(); !filters.empty()) {
    environment.Set("GECKOPROF_SECCOMP_FILTERS", filters);
  }
  environment.Remove("GECKOPROF_HELP");
  environment.Remove("GECKOPROF_SHUTDOWN");  // the recorder writes the profile
  if (options.capacity_given) {
    environment.Set("GECKOPROF_STARTUP_ENTRIES", Concat(options.capacity_bytes / kBytesPerEntry));
  }
  if (!options.interval.empty()) environment.Set("GECKOPROF_STARTUP_INTERVAL", options.interval);
  if (!options.duration.empty()) environment.Set("GECKOPROF_STARTUP_DURATION", options.duration);
  if (!options.threads.empty()) environment.Set("GECKOPROF_STARTUP_FILTERS", options.threads);
  if (options.no_arguments) environment.Set("GECKOPROF_NO_ARGUMENTS", "1");
  if (!options.clock.empty()) environment.Set("GECKOPROF_STARTUP_CLOCK", options.clock);
  if (!options.features.empty()) {
    environment.Set("GECKOPROF_STARTUP_FEATURES", options.features);
    environment.Remove("GECKOPROF_STARTUP_FEATURES_BITFIELD");
  }
}

// The option, or, where it was not given, the variable that the program inherits.
std::string OptionOr(const std::string& option, const char* variable) {
  const char* const inherited = getenv(variable);
  return !option.empty() || inherited == nullptr ? option : inherited;
}

// Which of the shell's limits a process that cannot be started may have met.
std::string_view LimitBehind(int error) {
  if (error == EMFILE) return " (is there a low ulimit -n?)";
  if (error == EAGAIN) return " (is there a low ulimit -u?)";
  return "";
}

// Runs the program to its end. False: it never began, and the line is printed.
bool Run(const RecordOptions& options, const std::string& path, const SessionDirectory& session,
         const InheritedDescriptors& inherited, LaunchEnvironment& environment, ProgramProcess& process,
         HeldFiles& held_files, ProcessEnds& others, ProgramProcess::End& end) {
  ModuleWatch::Mounts mounts = ModuleWatch::MountsNow();
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
  SessionWatch watch(session.path(), kSessionShare * options.capacity_bytes);
  ModuleWatch modules(session.path(), ProgramProcess::kLookSignal, &held_files, std::move(mounts));
  int64_t session_due_ns = 0, others_due_ns = 0;
  end = process.Wait([&] {
    if (MonotonicNs() >= session_due_ns) session_due_ns = MonotonicNs() + watch.Look();
    if (MonotonicNs() >= others_due_ns) others_due_ns = MonotonicNs() + others.Look();
    return std::min({session_due_ns - MonotonicNs(), others_due_ns - MonotonicNs(), modules.Look(MonotonicNs())});
  });
  others.Look();
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

SessionContents::KnownEnd MakeKnownEnd(int signal, int exit_status, const std::string& name) {
  if (signal != 0) return {.how = Concat("killed by signal ", signal), .name = name};
  return {.how = "exited", .name = name, .status = exit_status};
}

// Returns the end as a shell prints it.
std::string EndLine(const ProgramProcess::End& end) {
  if (end.signal == 0) return ExitText(end.exit_status);
  return Concat(SignalDescription(end.signal), end.dumped ? " (core dumped)" : "");
}

// Makes the profile. Sets `recorded` if there is anything to make it from.
absl::Status MakeSessionProfile(const RecordOptions& options, const ProgramProcess& process,
                                const ProgramProcess::End& end, const ProcessEnds& others, const PublicLibrary& library,
                                const HeldFiles& held_files, const std::string& session, bool& recorded) {
  const std::string filters = OptionOr(options.threads, "GECKOPROF_STARTUP_FILTERS");
  const std::string duration = OptionOr(options.duration, "GECKOPROF_STARTUP_DURATION");
  SessionContents contents;
  contents.ReadDirectory(session);
  for (const auto& [pid, status] : others.statuses()) {
    const bool was_killed = WIFSIGNALED(status);
    contents.known_ends[pid] = MakeKnownEnd(was_killed ? WTERMSIG(status) : 0, WEXITSTATUS(status), "");
  }
  contents.known_ends[process.pid()] = MakeKnownEnd(end.signal, end.exit_status, end.name);
  contents.Finish();
  NameOriginal(library, contents);
  recorded = !contents.processes.empty();
  contents.NoteLate(ProcessesOfSession(session));
  std::vector<ProcessFacts> processes = contents.processes.TakeAllFacts();
  for (ProcessFacts& each : processes) {
    if (*each.end_reason == "alive") each.problems.emplace_back("It goes on, and is not recorded any more");
  }
  contents.processes.SetAllFacts(std::move(processes));
  if (recorded && !options.quiet && !filters.empty() && contents.SampleCount() == 0) {
    fprintf(stderr, "geckoprof: note: nothing was sampled: did no thread have a name with one of %s \"%s\"?\n",
            options.threads.empty() ? "GECKOPROF_STARTUP_FILTERS" : "--threads", CleanText(filters).c_str());
  }
  return MakeProfile(std::move(contents), {.output = options.output,
                                           .number_if_taken = options.default_output,
                                           .format = options.format,
                                           .quiet = options.quiet,
                                           .arguments = options.RecordedWords(),
                                           .exit_status = end.ShellStatus(),
                                           .end = EndLine(end),
                                           .program_cpu_ns = end.cpu_ns,
                                           .has_all_threads = filters.empty() && duration.empty(),
                                           .first_pid = process.pid(),
                                           .held_files = &held_files});
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
int Finish(const RecordOptions& options, const ProgramProcess& process, const ProgramProcess::End& end,
           const ProcessEnds& others, const PublicLibrary& library, const HeldFiles& held_files,
           SessionDirectory& session) {
  Making making{&session, end.ShellStatus()};
  const MemoryReserve::Instead instead({&FailWithoutMemory, &making});
  const CrashKeeper keeper(
      Concat("geckoprof record: the profile could not be made: the recorder crashed (not enough memory or stack?)\n",
             WhereDataIsKept(session)),
      making.status);
  try {
    const absl::Status made =
        MakeSessionProfile(options, process, end, others, library, held_files, session.path(), making.recorded);
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
  std::string program_path;
  Fd held_output;
  if (const int status = CheckBeforeStart(options, program_path, held_output); status != 0) return status;
  const absl::StatusOr<std::string> library = FindBaseLibrary();
  if (!library.ok()) return Fail(std::string(library.status().message()), 1);
  absl::StatusOr<SessionDirectory> session = SessionDirectory::Create(options.capacity_bytes);
  if (!session.ok()) return Fail(std::string(session.status().message()), 1);
  if (session->free_bytes() < options.capacity_bytes && !options.quiet) {
    fprintf(stderr,
            "geckoprof: note: only %llu MiB are free for recorded data in %s: older data may be dropped early\n",
            static_cast<unsigned long long>(session->free_bytes() >> 20), CleanText(session->path()).c_str());
  }

  session->NoteCommand(options.RecordedWords());

  LaunchEnvironment environment(environ);
  PublicLibrary preloaded(*library);
  FillEnvironment(options, preloaded.path(), session->path(), environment);
  ProgramProcess process(session->path());
  HeldFiles held_files;
  ProcessEnds others(session->path());
  if (!Run(options, program_path, *session, inherited, environment, process, held_files, others, end)) {
    return end.exit_status;
  }
  // Now: where the making of the profile ends this process, nothing else does.
  if (!preloaded.Remove() && !options.quiet) {
    fprintf(stderr,
            "geckoprof: note: processes go on that preload %s: it stays (geckoprof recover --remove-stale removes it "
            "when they have ended)\n",
            CleanText(preloaded.path()).c_str());
  }
  return Finish(options, process, end, others, preloaded, held_files, *session);
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
