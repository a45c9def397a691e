// Processes of a session that left a mark, or nothing, instead of a segment.
#ifndef GECKOPROF_TOOLS_RECORD_UNRECORDED_PROCESSES_H_
#define GECKOPROF_TOOLS_RECORD_UNRECORDED_PROCESSES_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/reader/process_profile.h"
#include "tools/processed_format/recorded_processes.h"

namespace geckoprof {

// A recorded program: its process and when it began.
struct ProgramStart {
  int32_t pid = 0;
  int64_t start_ns = 0;
  size_t row = 0;              // of the session's processes
  uint32_t pid_namespace = 0;  // 0: unknown
  auto operator<=>(const ProgramStart&) const = default;
};

// Returns the start of the program that a process ran at a time, or null if it is not among these. A process that is
// known to be in another namespace is left out. REQUIRES: `starts` is sorted.
const ProgramStart* ProgramAt(std::span<const ProgramStart> starts, int32_t pid, int64_t time_ns,
                              uint32_t pid_namespace = 0);

// MarkedChild is a forked child that left a mark in the session directory (segment_format.h).
struct MarkedChild {
  int32_t pid = 0;
  int32_t parent_pid = 0;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;  // 0: unknown, because it was killed or called exec
  ExitRow exit;        // of a known end
  std::string name;    // the kernel's name of the thread that forked

  // Reads a link's name and target. Returns false for any other name, and for a text that no library writes.
  [[nodiscard]] bool Parse(std::string_view file_name, std::string_view target);

  // Returns the start of the program that is this child, or that it became by exec. Returns null if it is not among
  // these. `next_begin_ns` is the begin of the next marked child with this pid. REQUIRES: `starts` is sorted.
  const ProgramStart* FindProgram(std::span<const ProgramStart> starts, int64_t next_begin_ns = INT64_MAX) const;
  // Returns the start of the program that forked this child, or null if it is not among these. REQUIRES: `starts` is
  // sorted.
  const ProgramStart* FindParent(std::span<const ProgramStart> starts) const;

  // Returns the process, without samples. What it shares with the others of the recording comes from its parent or,
  // without one, from another process.
  ProcessProfile ToProcess(const ProcessProfile& similar, bool is_parent) const;
};

// UnrecordedProgram is a program that a process of the session ran without our code, as the recorder saw it from
// outside (TreeWatch).
//
//   after_ns        exec, between these two        seen_ns  ...  last_ns       looks of the recorder
//
struct UnrecordedProgram {
  int32_t pid = 0, parent_pid = 0;  // as the process knows them
  uint32_t pid_namespace = 0;
  uint64_t process_start_ticks = 0;
  std::string name;                    // the kernel's, up to 15 bytes
  std::string executable;              // the path; empty if this user may not know it
  std::vector<std::string> arguments;  // may be empty
  int64_t after_ns = 0, seen_ns = 0, last_ns = 0;
  int64_t user_cpu_ns = 0, system_cpu_ns = 0;  // from seen_ns to last_ns; for the first program of a process, all
  bool is_forked = false;                      // the process had not called exec yet
  std::string reason;                          // why there are no samples

  // Returns whether a recorded program of the session may be this one. It was not seen with a segment, because it had
  // none yet, or because the recorder may not look at it.
  bool MayBe(const ProcessFacts& recorded) const;

  // Returns the program without samples. Facts of the whole recording come from `similar`.
  ProcessProfile ToProcess(const ProcessProfile& similar, uint32_t image) const;
};

// Returns whether a process was made from an UnrecordedProgram.
bool IsUnrecorded(const ProcessProfile& process);

// LateProcess is a live process of which the recording may hold nothing.
struct LateProcess {
  int32_t pid = 0;             // as itself knows it: in its innermost pid namespace
  std::string name;            // the kernel's, up to 15 bytes
  uint32_t pid_namespace = 0;  // the kernel's number of that; 0: not known
};

// Returns the live processes that were started with the environment of the recording in `session`. A process that was
// forked or spawned as the program ended may not have come to our code yet. A statically linked program never does. The
// result lacks processes whose environment this user may not read, and is empty without /proc. It takes about 10 us for
// each process of the machine.
std::vector<LateProcess> ProcessesOfSession(std::string_view session);

// Returns whether a process, by its folder in /proc, has the environment of the recording in `session`.
bool IsOfSession(const std::string& folder, std::string_view session);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_UNRECORDED_PROCESSES_H_
