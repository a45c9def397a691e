#ifndef GECKOPROF_CONFIG_START_PARAMETERS_H_
#define GECKOPROF_CONFIG_START_PARAMETERS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "geckoprof/base/ids.h"
#include "geckoprof/config/start_features.h"
#include "geckoprof/config/thread_filter.h"
#include "geckoprof/segment/segment_format.h"

namespace geckoprof {

// Problems with the environment variables that start the profiler. They never stop the program. The profile shows them.
enum class StartVariable : uint8_t {
  kHelp,
  kStartup,
  kEntries,
  kDuration,
  kInterval,
  kMaxOverhead,
  kFeatures,
  kFeaturesBitfield,
  kFilters,
  kClock,
  kShutdown,
  kCommand,
  kSessionDir,
  kExecTime,
  kSeccompFilters,
  kNoArguments,
  kSignals,
  kOther,  // an unknown name that begins with GECKOPROF_
};
inline constexpr size_t kStartVariableCount = 17;  // without kOther

enum class StartProblemKind : uint8_t {
  kNotANumber,       // the default is used
  kOutOfRange,       // the nearest bound is used
  kUnknownName,      // the item is ignored
  kTooLong,          // a filter is shortened, a path is ignored
  kTooMany,          // further items are ignored
  kNotAbsolute,      // the path is ignored
  kUnknownVariable,  // the name may be misspelt
  kOverridden,       // another variable has precedence
  kOfRecorder,       // there is no recorder, so its features are ignored
};

// A row in the list of problems. It is trivially copyable.
struct StartProblem {
  static constexpr size_t kDetailBytes = 40;

  StartVariable variable = StartVariable::kOther;
  StartProblemKind kind = StartProblemKind::kNotANumber;
  char detail[kDetailBytes] = {};  // the value or item in question, shortened to fit, NUL terminated
};

// Returns the name, for example "GECKOPROF_STARTUP_INTERVAL". For kOther it returns "GECKOPROF_".
std::string_view StartVariableName(StartVariable variable);

// Returns a text to append to the variable's name, for example "is too long".
std::string_view StartProblemText(StartProblemKind kind);

inline constexpr uint64_t kBytesPerEntry = 8;  // the unit of GECKOPROF_STARTUP_ENTRIES, as in Firefox
// A segment needs a few chunks to be useful. A gigabyte holds hours, and a higher maximum would only hide a leak in the
// profiler.
inline constexpr uint64_t kMinCapacityBytes = uint64_t{1} << 20;
inline constexpr uint64_t kMaxCapacityBytes = uint64_t{2} << 30;
// This holds about an hour of samples of one busy thread at 1 kHz. It is a limit and not a cost, because pages are
// allocated when they are needed.
inline constexpr uint64_t kDefaultCapacityBytes = uint64_t{128} << 20;
inline constexpr int64_t kMinIntervalNs = 50'000;  // the work of a tick takes about 10 us
inline constexpr int64_t kMaxIntervalNs = 5'000'000'000;
inline constexpr int64_t kDefaultIntervalNs = 1'000'000;
inline constexpr uint32_t kMinOverheadLimit = 10, kMaxOverheadLimit = 10'000;  // in hundredths of a per cent
inline constexpr int64_t kMaxDurationNs = int64_t{366} * 24 * 3600 * 1'000'000'000;

// Returns true if the name in a line of the environment begins with our prefix. It does not measure the line first,
// because most of an environment belongs to other programs.
inline bool IsStartVariable(const char* line) {
  constexpr char kPrefix[] = "GECKOPROF_";
  size_t same = 0;
  while (same + 1 < sizeof(kPrefix) && line[same] == kPrefix[same]) ++same;
  return same + 1 == sizeof(kPrefix);
}

// StartParameters holds the settings that the environment gives the profiler in this process. It has a fixed size and
// no pointers into the environment, because the program may overwrite the environment (as setproctitle does).
//
// The rules are in docs/guides/environment.md. A bad value never stops the program and never prints a message. The
// parser uses the default or the nearest bound and adds a line to `problems`, which the profile shows.
//
// Threads: const after start.
// Context: early. The parser needs memcpy and nothing else of libc.
struct StartParameters {
  static constexpr size_t kPathBytes = 4096;  // PATH_MAX, including the terminating NUL
  static constexpr size_t kMaxProblems = 16;

  bool help_requested = false;
  bool start_requested = false;
  bool leaves_out_arguments = false;  // the process's arguments are not recorded
  bool obeys_signals = false;         // SIGUSR1 starts a recording, and SIGUSR2 stops it

  uint64_t capacity_bytes = kDefaultCapacityBytes;  // a multiple of kBytesPerEntry
  int64_t interval_ns = kDefaultIntervalNs;
  int64_t duration_ns = 0;                         // time from the start to the end of sampling; 0 means no end
  uint32_t overhead_limit = 0;                     // of the profiler's own time, in hundredths of a per cent; 0: none
  uint32_t features = kDefaultFeatures;            // the features that base acts on, a subset of kBaseFeatures
  uint32_t requested_features = kDefaultFeatures;  // with those of the full library and the recorder, of kKnownFeatures

  SampleClock best_clock = SampleClock::kPerfEvent;  // better ones are not used

  ProcessId exec_pid;            // the process that exec_ns belongs to; children inherit the variable
  int64_t exec_ns = 0;           // CLOCK_MONOTONIC
  int32_t seccomp_filters = -1;  // number of seccomp filters known to allow our system calls; -1 if unknown

  uint32_t problem_count = 0;
  uint32_t problems_not_kept = 0;  // problems beyond kMaxProblems

  uint32_t shutdown_folder_bytes = 0;  // length of the part of shutdown_path in which "%p" has no meaning
  char rank[12] = {};                  // FindRank of the environment, for shutdown_path; may be empty

  // Most starts leave these members empty. They come last, so that their pages are not touched.
  ThreadFilter filter;                // empty if all threads are sampled
  char session_dir[kPathBytes] = {};  // absolute; if it is empty, base chooses a folder
  char shutdown_path[kPathBytes] =
      {};  // contains "%p" and such as given; if it is empty, no file is written at the end
  char command_path[kPathBytes] =
      {};  // absolute path of the command that writes it; if it is empty, base looks for one
  StartProblem problems[kMaxProblems] = {};

  // Sets all members to their defaults with as few stores as possible. Array elements after the end of the contents
  // keep their values.
  void Reset();

  void AddProblem(StartVariable variable, StartProblemKind kind, std::string_view detail);

  // Returns the time at which `pid` called exec for its current program. Returns 0 if the time is not known. A time
  // after `now_ns` is ignored.
  int64_t ExecTimeNs(ProcessId pid, int64_t now_ns) const;

  // Chooses the file of a recording that a signal has stopped: profile_<pid>.json.gz in the current folder.
  void SetDefaultShutdown();

  // Makes a relative shutdown_path absolute by adding the current folder, because the program may change its folder.
  // The path stays relative if the folder has no name any more or the result is too long.
  void SetShutdownFolder();

  // Writes shutdown_path as ExpandOutputName does, NUL terminated. Returns false if there is no path or it does not
  // fit.
  [[nodiscard]] bool ExpandShutdownPath(ProcessId pid, std::span<char> out) const;
};
static_assert(std::is_trivially_copyable_v<StartParameters>);

// Replaces `out`. `environment` is the third argument of main or of an ELF constructor. Null counts as empty. If a
// variable occurs twice, the first one counts, as for getenv.
void ParseStartParameters(const char* const* environment, StartParameters& out);

// Changes the settings that may change while a recording runs: capacity, interval, limit of overhead, duration,
// features and filters. `lines` are those of an environment. The settings that they name replace those of `out`, and
// the rest of `out` stays. Returns true if there is a duration.
bool ChangeStartParameters(const char* const* lines, StartParameters& out);

}  // namespace geckoprof

#endif  // GECKOPROF_CONFIG_START_PARAMETERS_H_
