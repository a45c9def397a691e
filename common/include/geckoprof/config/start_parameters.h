#ifndef GECKOPROF_CONFIG_START_PARAMETERS_H_
#define GECKOPROF_CONFIG_START_PARAMETERS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "geckoprof/base/ids.h"
#include "geckoprof/config/start_features.h"
#include "geckoprof/config/start_problem.h"
#include "geckoprof/config/thread_filter.h"

namespace geckoprof {

inline constexpr uint64_t kBytesPerEntry = 8;  // the unit of GECKOPROF_STARTUP_ENTRIES, as in Firefox
// One segment needs a few chunks to be of any use; a gigabyte holds hours, more would only hide a leak of the
// profiler's own.
inline constexpr uint64_t kMinCapacityBytes = uint64_t{1} << 20;
inline constexpr uint64_t kMaxCapacityBytes = uint64_t{2} << 30;
// Nearly an hour of one busy thread at 1 kHz and 40 bytes a sample. A limit, not a cost: pages are taken when they are
// needed.
inline constexpr uint64_t kDefaultCapacityBytes = uint64_t{128} << 20;
inline constexpr int64_t kMinIntervalNs = 50'000;  // a tick's own work is about 10 us
inline constexpr int64_t kMaxIntervalNs = 5'000'000'000;
inline constexpr int64_t kDefaultIntervalNs = 1'000'000;
inline constexpr int64_t kMaxDurationNs = int64_t{366} * 24 * 3600 * 1'000'000'000;

// Whether a line of the environment has a name of ours. Does not measure the text first: most of an environment is of
// no interest.
inline bool IsStartVariable(const char* line) {
  constexpr char kPrefix[] = "GECKOPROF_";
  size_t same = 0;
  while (same + 1 < sizeof(kPrefix) && line[same] == kPrefix[same]) ++same;
  return same + 1 == sizeof(kPrefix);
}

// StartParameters: what the environment asks of the profiler in this process. A value of fixed size without pointers
// into the environment, which the program may overwrite (setproctitle does).
//
// Rules: docs/guides/environment.md. A bad value never stops the program and never prints: the default or the nearest
// bound is used, and a line is added to `problems`, which the profile shows. Threads: const after start. Context:
// early; Parse needs memcpy and nothing else of libc.
struct StartParameters {
  static constexpr size_t kPathBytes = 4096;  // PATH_MAX, with the terminating zero
  static constexpr size_t kMaxProblems = 16;

  bool help_requested = false;
  bool start_requested = false;

  uint64_t capacity_bytes = kDefaultCapacityBytes;  // a multiple of kBytesPerEntry
  int64_t interval_ns = kDefaultIntervalNs;
  int64_t duration_ns = 0;               // sampling stops so long after the start; 0: never
  uint32_t features = kDefaultFeatures;  // what base does: a subset of kBaseFeatures
  uint32_t requested_features =
      kDefaultFeatures;  // the same and what the full library may add: a subset of kKnownFeatures

  ProcessId exec_pid;            // whom exec_ns is about: environment is inherited, the time of an exec is not
  int64_t exec_ns = 0;           // CLOCK_MONOTONIC
  int32_t seccomp_filters = -1;  // as many are known to let us be; -1: nobody said

  uint32_t problem_count = 0;
  uint32_t problems_not_kept = 0;  // past kMaxProblems

  uint32_t shutdown_folder_bytes = 0;  // of shutdown_path, that no "%p" is looked for in

  // What most starts leave empty comes last: its pages are not touched.
  ThreadFilter filter;                  // empty: all threads
  char session_dir[kPathBytes] = {};    // absolute; empty: base chooses one
  char shutdown_path[kPathBytes] = {};  // "%p" not replaced; empty: no file is written by the process
  char command_path[kPathBytes] = {};   // absolute: what writes it; empty: base looks for the command
  StartProblem problems[kMaxProblems] = {};

  // Everything to its default, with as few stores as do it: what an array holds past its end stays.
  void Reset();

  void AddProblem(StartVariable variable, StartProblemKind kind, std::string_view detail);

  // When `pid` was about to call exec for the program it runs now; 0 if nobody said so. A time after `now_ns` is not
  // believed.
  int64_t ExecTimeOf(ProcessId pid, int64_t now_ns) const;

  // Makes of a relative shutdown_path one below the current folder, so that the file lies there wherever the program
  // goes. It stays relative where the folder has no name any more, or both together are too long.
  void SetShutdownFolder();

  // Writes shutdown_path with each "%p" replaced by the pid, zero terminated. False if there is none or it does not
  // fit.
  [[nodiscard]] bool ExpandShutdownPath(ProcessId pid, std::span<char> out) const;
};
static_assert(std::is_trivially_copyable_v<StartParameters>);

// Replaces `out`. `environment` is the third argument of main or of an ELF constructor; null counts as empty.
// Of a variable that occurs twice the first counts, as for getenv.
void ParseStartParameters(const char* const* environment, StartParameters& out);

}  // namespace geckoprof

#endif  // GECKOPROF_CONFIG_START_PARAMETERS_H_
