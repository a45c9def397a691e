#include "tools/record/record_options.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/base/utf8.h"
#include "geckoprof/config/output_name.h"
#include "geckoprof/config/start_number.h"
#include "tools/options/command_options.h"
#include "tools/options/quantity.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

constexpr char kExamples[] =
    "Examples:\n"
    "  geckoprof record -- ls -lR /usr\n"
    "  geckoprof record -o out.json.gz --interval 0.5 --threads worker -- ./server --port 80\n"
    "  geckoprof record --pid $(pidof server)\n"
    "  geckoprof record --flight 30s --capture-when 'cpu>150%' -o server.json.gz -- ./server\n\n"
    "The program keeps its input, output and exit status (128 + n if signal n ended it; of SIGINT and SIGQUIT\n"
    "the command itself ends). Ctrl-C goes to the program;\n"
    "the profile is written all the same. 2: wrong use, 126 and 127: the program cannot be run or found.\n";

constexpr int64_t kShortestFlightNs = kNsPerSecond, kLongestFlightNs = 24 * 3600 * kNsPerSecond;

uint64_t MachineBytes() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string OutputNameOf(const std::string& name, int64_t pid) {
  std::string room(name.size() * (sizeof(utsname::nodename) / 2 + 1) + 1, '\0');  // of names of hosts, two bytes each
  TextBuilder text(room);
  ExpandOutputName(name, FindRank(environ), pid, text);
  return std::string(text.view());
}

}  // namespace

std::string RecordOptions::FlightFault(const std::string& flight, const std::vector<std::string>& whens) {
  if (flight.empty()) return whens.empty() ? "" : "--capture-when goes with --flight";
  flight_ns = ParseTimeNs(flight).value_or(0);
  if (flight_ns < kShortestFlightNs || flight_ns > kLongestFlightNs) {
    return Concat("--flight: ", flight, " is not a time from 1s to 24h (with s, min or h)");
  }
  if (!duration.empty()) return "--flight records until the end: it goes without --duration";
  struct stat info = {};
  const bool is_special = stat(output.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
  if (is_special || output.starts_with("/dev/fd/") || output.starts_with("/proc/")) {
    return Concat("--output: ", output, " is no name for several files, as --flight writes them");
  }
  for (const std::string& when : whens) {
    absl::StatusOr<CaptureTrigger> trigger = CaptureTrigger::Parse(when, MachineBytes());
    if (!trigger.ok()) return std::string(trigger.status().message());
    triggers.push_back(*std::move(trigger));
  }
  return "";
}

// Returns what is wrong with the options of hooks. A program reads them when it starts. Without its feature an option
// would do nothing.
std::string RecordOptions::HookFault() {
  constexpr uint64_t kMostNs = 3600 * uint64_t{kNsPerSecond};
  if (!allocation_interval.empty()) {
    // The variable has K and M for KiB and MiB.
    const bool is_short = allocation_interval.ends_with('K') || allocation_interval.ends_with('M');
    const uint64_t interval_bytes = ParseSizeBytes(Concat(allocation_interval, is_short ? "iB" : "")).value_or(0);
    if (interval_bytes == 0 || interval_bytes > uint64_t{1} << 40) {
      return Concat("--allocation-interval: ", allocation_interval,
                    " is not a size from 1 to 1024GiB (in bytes, or with K, M, KB, KiB, MB, MiB, GB or GiB)");
    }
    allocation_interval = Concat(interval_bytes);
  }
  for (const HookOption& option : HookOptions()) {
    if (option.value.empty()) continue;
    const std::optional<uint64_t> ns = ParseFixedPoint(option.value, 6);
    if (option.features != kFeatureNativeAllocations && (!ns || *ns > kMostNs)) {
      return Concat(option.name, ": ", option.value, " is not a number of milliseconds from 0 to 3600000");
    }
    if (pid != 0) return Concat("--pid: a process that runs has its own ", option.variable, "; it cannot be changed");
    if (AsksFor(option.features)) continue;
    return Concat(option.name, " goes with --features ", FeatureNames(option.features, " or "));
  }
  return "";
}

std::array<RecordOptions::HookOption, 4> RecordOptions::HookOptions() const {
  constexpr uint32_t kIo = kFeatureMainThreadIo | kFeatureFileIo | kFeatureFileIoAll | kFeatureNetIo;
  return {{{"--allocation-interval", "GECKOPROF_ALLOCATION_INTERVAL", kFeatureNativeAllocations, allocation_interval},
           {"--lock-threshold", "GECKOPROF_LOCK_THRESHOLD", kFeatureLocks, lock_threshold},
           {"--loop-threshold", "GECKOPROF_LOOP_THRESHOLD", kFeatureResponsiveness, loop_threshold},
           {"--io-threshold", "GECKOPROF_IO_THRESHOLD", kIo, io_threshold}}};
}

std::vector<StartOptions::Variable> RecordOptions::HookVariables() const {
  std::vector<Variable> variables;
  for (const HookOption& option : HookOptions()) {
    if (!option.value.empty()) variables.push_back({option.variable, std::string(option.value)});
  }
  return variables;
}

std::string RecordOptions::Fault(const std::string& format_name, const std::string& pid_text) {
  if (std::string fault = Check(); !fault.empty()) return fault;
  if (!pid_text.empty() && (!absl::SimpleAtoi(pid_text, &pid) || pid <= 0)) {
    return Concat("--pid: ", pid_text, " is no number of a process");
  }
  if (format_name == "gecko") {
    format = OutputFormat::kGecko;
  } else if (format_name != "processed") {
    return Concat("--format: ", format_name, " is neither gecko nor processed");
  }
  if (output == "-") return "--output: standard output is the program's; name a file (recover can write to -)";
  if (program.empty() && pid == 0) return "no program is named: geckoprof record [OPTIONS] -- PROGRAM [ARGUMENTS]";
  if (!program.empty() && pid != 0) return "--pid records a process that runs already: name no program";
  const char* const machine = getenv("GECKOPROF_MACHINE_ROOT");
  struct stat info = {};
  if (machine != nullptr && AsksFor(kRecorderFeatures) && (stat(machine, &info) != 0 || !S_ISDIR(info.st_mode))) {
    return Concat("GECKOPROF_MACHINE_ROOT: ", machine, " is no folder");
  }
  return HookFault();
}

std::optional<int> RecordOptions::Parse(std::span<char* const> args) {
  std::string pid_text;
  std::string format_name = "processed", flight;
  std::vector<std::string> whens;
  CommandOptions options("record", "Runs a program and records it, and all that it starts, from the first instruction.",
                         kExamples);
  options.Text("-o,--output", &output, "FILE",
               "the profile; %h is the host, %r the rank, %p the process; compressed if it ends in .gz\n"
               "(default: geckoprof-PROGRAM-TIME.json.gz)");
  options.Text("-p,--pid", &pid_text, "PID", "record a process that runs, until Ctrl-C or its end");
  possible_features |= kRecorderFeatures;
  AddTo(options);
  options.Text("--allocation-interval", &allocation_interval, "SIZE",
               "of nativeallocations: mean bytes between two samples (default 512KiB; 1: every block)");
  options.Text("--lock-threshold", &lock_threshold, "MS",
               "of the feature locks: shortest wait with a marker, 0 for all (default 1)");
  options.Text("--loop-threshold", &loop_threshold, "MS",
               "of the feature responsiveness: shortest block of an event loop with a marker (default 50)");
  options.Text("--io-threshold", &io_threshold, "MS",
               "of fileio and netio: shortest call with a marker, 0 for all (default 1)");
  options.Text("--flight", &flight, "TIME", "flight recorder: keep the last TIME (30s, 5min), and write it on a cause");
  options.Texts("--capture-when", &whens, "WHEN",
                "such a cause: 'marker>500ms', 'marker:NAME>1s', 'cpu>90%', 'memory>1GiB', 'process-cpu>90%', "
                "'process-memory>50%' or exit (always: SIGUSR1, a crash, an error at the end)");
  options.Text("--format", &format_name, "FORMAT", "processed (symbolicated; the default) or gecko (raw)");
  options.Flag("-q,--quiet", &quiet, "no messages but warnings and errors");
  options.Rest("-- PROGRAM [ARGUMENTS]");
  options.Offer("--output", {ValueHint::Kind::kFiles, ProfileEndings()});
  options.Offer("--format", {ValueHint::Kind::kWords, {"processed", "gecko"}});
  options.Offer("--flight", {ValueHint::Kind::kWords, {"10s", "30s", "1min", "5min"}});
  options.Offer("--capture-when", {ValueHint::Kind::kWords, {"exit"}});
  const size_t own = options.CountOwn(args);
  if (const std::optional<int> status = options.Parse(args.first(own))) return status;
  program = args.subspan(own);
  if (!program.empty() && std::string_view(program.front()) == "--") program = program.subspan(1);
  std::string fault = Fault(format_name, pid_text);
  if (fault.empty()) fault = FlightFault(flight, whens);
  const char* const inherited = getenv("GECKOPROF_NO_ARGUMENTS");
  no_arguments = no_arguments || (inherited != nullptr && MeansYes(inherited));
  if (fault.empty()) {
    // The name is checked before the program starts, so the process is that of the recorder or of --pid.
    output = OutputNameOf(output, pid != 0 ? pid : getpid());
    return std::nullopt;
  }
  fprintf(stderr, "geckoprof record: %s\n", CleanText(fault).c_str());
  return 2;
}

std::string DefaultOutputName(const std::string& program) {
  constexpr size_t kMostBytes = 200;  // with the rest, and a number, less than the 255 of a file's name
  std::string name = CleanText(program.substr(program.rfind('/') + 1));  // npos + 1 is 0
  name.resize(Utf8Cut(name, kMostBytes).size());
  const time_t now = time(nullptr);
  struct tm local = {};
  localtime_r(&now, &local);
  char when[32] = "";
  strftime(when, sizeof(when), "%Y%m%dT%H%M%S", &local);
  return Concat("geckoprof-", name, "-", when, ".json.gz");
}

}  // namespace geckoprof
