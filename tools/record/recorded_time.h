#ifndef GECKOPROF_TOOLS_RECORD_RECORDED_TIME_H_
#define GECKOPROF_TOOLS_RECORD_RECORDED_TIME_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "tools/processed_format/recorded_processes.h"

namespace geckoprof {

// Returns whether chunks of a process are missing. They have many rows. The time of a single lost row is in the next
// one.
bool HasLostChunks(const ProcessProfile& process);

// UnsampledProcesses has the processes that ended before their first sample, as far as they told their CPU time. The
// time is without that of their samplers. It includes the time before the exec of their program.
struct UnsampledProcesses {
  uint64_t count = 0;
  int64_t cpu_ns = 0;

  explicit UnsampledProcesses(const RecordedProcesses& processes);
};

// RecordedTime tells how much of the CPU time of a program and its children has samples, and where the rest is. The
// program's time has that of all children that it waited for.
//
//   the kernel's figure   ..................................................  user and system time, of wait4
//   sampled               ............................                        by the rows of the samples
//   samplers                                          ...                     by their own clocks
//   missing                                              ...................
//     unsampled                                          .....                of processes without a sample
//     outside                                                 ...             before the first sample, after the last
//     one unrecorded                                                 ...........  the rest
//
// Processes tell their CPU time at their end, so those without a sample and the time outside of the samples are known.
// The kernel takes some more to end each process.
// Statically linked and privileged programs, and those that lose the environment, are not recorded and tell nothing. A
// process that was killed tells nothing either.
struct RecordedTime {
  // The CPU time that processes with samples used outside of them, and the process with most of it.
  struct Outside {
    uint64_t count = 0;
    int64_t cpu_ns = 0;
    std::string most_name;
    int32_t most_pid = 0;
    int64_t most_ns = 0;
  };

  int64_t total_ns = 0;     // the kernel's
  int64_t samplers_ns = 0;  // the samplers' part of it
  int64_t sampled_ns = 0;   // of all threads' rows
  uint64_t process_count = 0;
  UnsampledProcesses unsampled;
  Outside outside;
  // False if the samples cannot have all of the time. Sampling began late, ended early or was paused, a process is not
  // recorded as asked, or rows are gone or have no CPU time.
  bool is_comparable = true;

  // REQUIRES: total_ns >= 0. All threads were asked for, all the time. Everything that was left was read.
  RecordedTime(int64_t total_ns, const RecordedProcesses& processes);

  // Returns the CPU time without that of the samplers.
  int64_t program_ns() const { return total_ns - std::min(samplers_ns, total_ns); }
  // Returns the CPU time of the program that has no samples.
  int64_t missing_ns() const { return std::max<int64_t>(program_ns() - sampled_ns, 0); }
  // Returns where the missing time is. Returns an empty text if at most a tenth of the time is missing, or if the times
  // cannot be compared.
  std::string Note() const;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_RECORDED_TIME_H_
