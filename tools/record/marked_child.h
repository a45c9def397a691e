#ifndef GECKOPROF_TOOLS_RECORD_MARKED_CHILD_H_
#define GECKOPROF_TOOLS_RECORD_MARKED_CHILD_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "geckoprof/reader/process_profile.h"

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

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_MARKED_CHILD_H_
