#include "geckoprof/config/start_parameters.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/config/output_name.h"
#include "geckoprof/config/start_number.h"

namespace geckoprof {

std::string_view StartVariableName(StartVariable variable) {
  switch (variable) {
    case StartVariable::kHelp:
      return "GECKOPROF_HELP";
    case StartVariable::kStartup:
      return "GECKOPROF_STARTUP";
    case StartVariable::kEntries:
      return "GECKOPROF_STARTUP_ENTRIES";
    case StartVariable::kDuration:
      return "GECKOPROF_STARTUP_DURATION";
    case StartVariable::kInterval:
      return "GECKOPROF_STARTUP_INTERVAL";
    case StartVariable::kMaxOverhead:
      return "GECKOPROF_STARTUP_MAX_OVERHEAD";
    case StartVariable::kFeatures:
      return "GECKOPROF_STARTUP_FEATURES";
    case StartVariable::kFeaturesBitfield:
      return "GECKOPROF_STARTUP_FEATURES_BITFIELD";
    case StartVariable::kFilters:
      return "GECKOPROF_STARTUP_FILTERS";
    case StartVariable::kClock:
      return "GECKOPROF_STARTUP_CLOCK";
    case StartVariable::kShutdown:
      return "GECKOPROF_SHUTDOWN";
    case StartVariable::kCommand:
      return "GECKOPROF_COMMAND";
    case StartVariable::kSessionDir:
      return "GECKOPROF_SESSION_DIR";
    case StartVariable::kExecTime:
      return "GECKOPROF_EXEC_TIME";
    case StartVariable::kSeccompFilters:
      return "GECKOPROF_SECCOMP_FILTERS";
    case StartVariable::kNoArguments:
      return "GECKOPROF_NO_ARGUMENTS";
    case StartVariable::kSignals:
      return "GECKOPROF_SIGNALS";
    case StartVariable::kOther:
      break;
  }
  return "GECKOPROF_";
}

std::string_view StartProblemText(StartProblemKind kind) {
  switch (kind) {
    case StartProblemKind::kNotANumber:
      return "is not a number of the form asked for: the default is used";
    case StartProblemKind::kOutOfRange:
      return "is out of range: the nearest bound is used";
    case StartProblemKind::kUnknownName:
      return "names something unknown, which is ignored";
    case StartProblemKind::kTooLong:
      return "is too long: a filter is shortened, a path ignored";
    case StartProblemKind::kTooMany:
      return "has too many items: the rest is ignored";
    case StartProblemKind::kNotAbsolute:
      return "is not an absolute path and is ignored";
    case StartProblemKind::kUnknownVariable:
      return "is not a variable of this profiler";
    case StartProblemKind::kOfRecorder:
      return "has features that need `geckoprof record`";
    case StartProblemKind::kOverridden:
      break;
  }
  return "is ignored: another variable wins over it";
}

namespace {

constexpr unsigned kNsDecimalsOfSeconds = 9;
constexpr unsigned kNsDecimalsOfMilliseconds = 6;

// The values found, by StartVariable. A null data() means that the variable is not set.
struct FoundValues {
  std::string_view values[kStartVariableCount];
  std::string_view operator[](StartVariable variable) const { return values[static_cast<size_t>(variable)]; }
  bool Has(StartVariable variable) const { return (*this)[variable].data() != nullptr; }
};

FoundValues FindValues(const char* const* environment, StartParameters& out) {
  FoundValues found;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    if (!IsStartVariable(*environment)) continue;
    const std::string_view line(*environment);
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name(line.data(), equals);
    size_t variable = 0;
    while (variable < kStartVariableCount && StartVariableName(static_cast<StartVariable>(variable)) != name)
      ++variable;
    if (variable == kStartVariableCount) {
      // Report only names that look like a misspelt variable of base. Other tools of the project have variables of
      // their own.
      if (name.starts_with(StartVariableName(StartVariable::kStartup))) {
        out.AddProblem(StartVariable::kOther, StartProblemKind::kUnknownVariable, name);
      }
    } else if (found.values[variable].data() == nullptr) {
      found.values[variable] = std::string_view(line.data() + equals + 1, line.size() - equals - 1);
    }
  }
  return found;
}

uint64_t Clamp(uint64_t value, uint64_t low, uint64_t high, StartVariable variable, std::string_view text,
               StartParameters& out) {
  if (value >= low && value <= high) return value;
  out.AddProblem(variable, StartProblemKind::kOutOfRange, text);
  return std::clamp(value, low, high);
}

// Calls `use` for each item of a comma-separated list. Empty items are skipped.
template <typename Use>
void ForEachItem(std::string_view list, Use use) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (comma != 0) use(std::string_view(list.data(), comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

void ParseCapacity(std::string_view text, StartParameters& out) {
  const std::optional<uint64_t> bytes = ParseByteSize(text, kBytesPerEntry);
  if (!bytes) return out.AddProblem(StartVariable::kEntries, StartProblemKind::kNotANumber, text);
  const uint64_t clamped = Clamp(*bytes, kMinCapacityBytes, kMaxCapacityBytes, StartVariable::kEntries, text, out);
  out.capacity_bytes = clamped / kBytesPerEntry * kBytesPerEntry;
}

void ParseInterval(std::string_view text, StartParameters& out) {
  const std::optional<uint64_t> ns = ParseFixedPoint(text, kNsDecimalsOfMilliseconds);
  if (!ns) return out.AddProblem(StartVariable::kInterval, StartProblemKind::kNotANumber, text);
  out.interval_ns =
      static_cast<int64_t>(Clamp(*ns, kMinIntervalNs, kMaxIntervalNs, StartVariable::kInterval, text, out));
}

void ParseMaxOverhead(std::string_view text, StartParameters& out) {
  const std::optional<uint64_t> limit = ParsePercentParts(text);
  if (!limit) return out.AddProblem(StartVariable::kMaxOverhead, StartProblemKind::kNotANumber, text);
  out.overhead_limit = static_cast<uint32_t>(
      Clamp(*limit, kMinOverheadLimit, kMaxOverheadLimit, StartVariable::kMaxOverhead, text, out));
}

void ParseDuration(std::string_view text, StartParameters& out) {
  const std::optional<uint64_t> ns = ParseFixedPoint(text, kNsDecimalsOfSeconds);
  if (!ns) return out.AddProblem(StartVariable::kDuration, StartProblemKind::kNotANumber, text);
  out.duration_ns = static_cast<int64_t>(Clamp(*ns, 0, kMaxDurationNs, StartVariable::kDuration, text, out));
}

// Features of the recorder alone come on top of the default ones.
void UseFeatures(uint32_t requested, StartParameters& out) {
  if (requested != 0 && (requested & ~kRecorderFeatures) == 0) requested |= kDefaultFeatures;
  out.requested_features = AdjustFeatures(requested);
  out.features = out.requested_features & kBaseFeatures;
}

void ParseFeatures(std::string_view list, StartParameters& out) {
  uint32_t requested = 0;
  ForEachItem(list, [&](std::string_view name) {
    if (name == "default") {
      requested |= kDefaultFeatures;
      return;
    }
    const uint32_t bit = FeatureBit(name);
    requested |= bit;
    if (bit == 0) out.AddProblem(StartVariable::kFeatures, StartProblemKind::kUnknownName, name);
  });
  UseFeatures(requested, out);
}

// Returns false if the text is not a number. The list of names is used then.
bool ParseFeatureBits(std::string_view text, StartParameters& out) {
  const std::optional<uint64_t> bits = ParseDecimalOrHex(text);
  if (!bits) {
    out.AddProblem(StartVariable::kFeaturesBitfield, StartProblemKind::kNotANumber, text);
    return false;
  }
  if ((*bits & ~uint64_t{kKnownFeatures}) != 0) {
    out.AddProblem(StartVariable::kFeaturesBitfield, StartProblemKind::kUnknownName, text);
  }
  UseFeatures(static_cast<uint32_t>(*bits) & kKnownFeatures, out);
  return true;
}

void ParseFilters(std::string_view list, StartParameters& out) {
  bool is_noted = list.empty();
  ForEachItem(list, [&](std::string_view item) {
    is_noted = true;
    if (!ThreadFilter::IsWellFormed(item)) {
      return out.AddProblem(StartVariable::kFilters, StartProblemKind::kUnknownName, item);
    }
    switch (out.filter.Add(item)) {
      case FilterAddResult::kAdded:
        return;
      case FilterAddResult::kShortened:
        return out.AddProblem(StartVariable::kFilters, StartProblemKind::kTooLong, item);
      case FilterAddResult::kFull:
        return out.AddProblem(StartVariable::kFilters, StartProblemKind::kTooMany, item);
    }
  });
  if (!is_noted) out.AddProblem(StartVariable::kFilters, StartProblemKind::kUnknownName, list);  // commas only
}

void ParsePath(StartVariable variable, std::string_view text, bool must_be_absolute,
               std::span<char, StartParameters::kPathBytes> path, StartParameters& out) {
  if (text.empty()) return;
  if (text.size() >= path.size()) return out.AddProblem(variable, StartProblemKind::kTooLong, text);
  if (must_be_absolute && text.front() != '/') {
    return out.AddProblem(variable, StartProblemKind::kNotAbsolute, text);
  }
  std::memcpy(path.data(), text.data(), text.size());
  path[text.size()] = '\0';
}

void ParseClock(std::string_view text, StartParameters& out) {
  if (text.empty()) return;
  const auto* const known = std::find(kSampleClockNames.begin(), kSampleClockNames.end(), text);
  if (known == kSampleClockNames.end()) {
    return out.AddProblem(StartVariable::kClock, StartProblemKind::kUnknownName, text);
  }
  out.best_clock = static_cast<SampleClock>(known - kSampleClockNames.begin());
}

// Reads "<pid>:<ns>".
void ParseExecTime(std::string_view text, StartParameters& out) {
  if (text.empty()) return;
  const std::string_view whole = text;
  const size_t colon = std::min(text.find(':'), text.size());
  const std::optional<uint64_t> pid = ParseDecimal(std::string_view(text.data(), colon));
  text.remove_prefix(std::min(colon + 1, text.size()));
  const std::optional<uint64_t> ns = ParseDecimal(text);
  if (!pid || !ns || *pid > INT32_MAX || *ns > INT64_MAX) {
    return out.AddProblem(StartVariable::kExecTime, StartProblemKind::kNotANumber, whole);
  }
  out.exec_pid = ProcessId::FromNumber(static_cast<int32_t>(*pid));
  out.exec_ns = static_cast<int64_t>(*ns);
}

void ParseSeccompFilters(std::string_view text, StartParameters& out) {
  if (text.empty()) return;
  const std::string_view whole = text;
  const std::optional<uint64_t> count = ParseDecimal(text);
  if (!count || *count > INT32_MAX) {
    return out.AddProblem(StartVariable::kSeccompFilters, StartProblemKind::kNotANumber, whole);
  }
  out.seccomp_filters = static_cast<int32_t>(*count);
}

// Parses the variables that may change while a recording runs.
void ParseChangeable(const FoundValues& found, StartParameters& out) {
  using enum StartVariable;
  if (!found[kEntries].empty()) ParseCapacity(found[kEntries], out);
  if (!found[kInterval].empty()) ParseInterval(found[kInterval], out);
  if (!found[kMaxOverhead].empty()) ParseMaxOverhead(found[kMaxOverhead], out);
  if (!found[kDuration].empty()) ParseDuration(found[kDuration], out);
  if (!found[kFeaturesBitfield].empty() && ParseFeatureBits(found[kFeaturesBitfield], out)) {
    if (found.Has(kFeatures)) out.AddProblem(kFeatures, StartProblemKind::kOverridden, found[kFeatures]);
  } else if (found.Has(kFeatures)) {
    ParseFeatures(found[kFeatures], out);  // an empty list means no features
  }
  ParseFilters(found[kFilters], out);
}

}  // namespace

void StartParameters::AddProblem(StartVariable variable, StartProblemKind kind, std::string_view detail) {
  if (problem_count == kMaxProblems) {
    ++problems_not_kept;
    return;
  }
  StartProblem& problem = problems[problem_count++];
  problem.variable = variable;
  problem.kind = kind;
  const size_t kept = std::min(detail.size(), StartProblem::kDetailBytes - 1);
  if (kept != 0) std::memcpy(problem.detail, detail.data(), kept);
  problem.detail[kept] = '\0';
}

void StartParameters::Reset() {
  help_requested = start_requested = leaves_out_arguments = obeys_signals = false;
  capacity_bytes = kDefaultCapacityBytes;
  interval_ns = kDefaultIntervalNs;
  duration_ns = 0;
  overhead_limit = 0;
  features = requested_features = kDefaultFeatures;
  best_clock = SampleClock::kPerfEvent;
  exec_pid = ProcessId();
  exec_ns = 0;
  seccomp_filters = -1;
  problem_count = problems_not_kept = 0;
  filter.Clear();
  for (char* const path : {session_dir, shutdown_path, command_path}) {
    if (path[0] != '\0') path[0] = '\0';  // the test avoids a store, which would touch another page
  }
  shutdown_folder_bytes = 0;
  rank[0] = '\0';
}

int64_t StartParameters::ExecTimeNs(ProcessId pid, int64_t now_ns) const {
  return exec_pid == pid && exec_ns <= now_ns ? exec_ns : 0;
}

void StartParameters::SetDefaultShutdown() {
  constexpr char kName[] = "profile_%p.json.gz";
  std::memcpy(shutdown_path, kName, sizeof(kName));
  SetShutdownFolder();
}

void StartParameters::SetShutdownFolder() {
  const size_t name_bytes = std::string_view(shutdown_path).size() + 1;
  if (shutdown_path[0] == '\0' || shutdown_path[0] == '/') return;
  char* const name = shutdown_path + kPathBytes - name_bytes;  // move the name to the end to make room for the folder
  std::memmove(name, shutdown_path, name_bytes);
  const long folder_bytes = RawSyscall(SYS_getcwd, shutdown_path, kPathBytes - name_bytes);  // includes the NUL
  // If the folder is unreachable, the kernel returns a path that does not begin with a slash.
  size_t kept = 0;
  if (!IsSyscallError(folder_bytes) && shutdown_path[0] == '/') {
    kept = static_cast<size_t>(folder_bytes);
    shutdown_path[kept - 1] = '/';
  }
  std::memmove(shutdown_path + kept, name, name_bytes);
  shutdown_folder_bytes = static_cast<uint32_t>(kept);
}

bool StartParameters::ExpandShutdownPath(ProcessId pid, std::span<char> out) const {
  TextBuilder path(out);
  // The name of the folder may contain "%p", which is not replaced.
  path.Text({shutdown_path, shutdown_folder_bytes});
  ExpandOutputName(shutdown_path + shutdown_folder_bytes, rank, pid.ToNumber(), path);
  return path.complete() && !path.view().empty();
}

void ParseStartParameters(const char* const* environment, StartParameters& out) {
  out.Reset();
  const FoundValues found = FindValues(environment, out);
  using enum StartVariable;
  out.help_requested = !found[kHelp].empty();
  out.start_requested = MeansYes(found[kStartup]);
  out.obeys_signals = MeansYes(found[kSignals]);
  ParseChangeable(found, out);
  ParseClock(found[kClock], out);
  ParsePath(kShutdown, found[kShutdown], /*must_be_absolute=*/false, out.shutdown_path, out);
  ParsePath(kCommand, found[kCommand], /*must_be_absolute=*/true, out.command_path, out);
  ParsePath(kSessionDir, found[kSessionDir], /*must_be_absolute=*/true, out.session_dir, out);
  if ((out.requested_features & kRecorderFeatures) != 0 && out.session_dir[0] == '\0') {
    const StartVariable variable = found[kFeaturesBitfield].empty() ? kFeatures : kFeaturesBitfield;
    out.AddProblem(variable, StartProblemKind::kOfRecorder, found[variable]);
  }
  ParseExecTime(found[kExecTime], out);
  ParseSeccompFilters(found[kSeccompFilters], out);
  out.leaves_out_arguments = MeansYes(found[kNoArguments]);
  if (out.shutdown_path[0] != '\0') TextBuilder(out.rank).Text(FindRank(environment));
}

bool ChangeStartParameters(const char* const* lines, StartParameters& out) {
  const FoundValues found = FindValues(lines, out);
  if (found.Has(StartVariable::kFilters)) out.filter.Clear();
  ParseChangeable(found, out);
  return found.Has(StartVariable::kDuration);
}

}  // namespace geckoprof
