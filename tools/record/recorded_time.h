#ifndef GECKOPROF_TOOLS_RECORD_RECORDED_TIME_H_
#define GECKOPROF_TOOLS_RECORD_RECORDED_TIME_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "tools/convert/recorded_processes.h"

namespace geckoprof {

// RecordedTime tells how much of the CPU time of a program and its children a recording accounts for. The program's
// time has that of all children that it waited for.
//
//   the kernel's figure   ..................................................  user and system time, of wait4
//   told                  ...................................                  by the processes at their ends
//   sampled               ............................                         by the rows of their samples
//   missing                                                  ...............
//
// Statically linked and privileged programs, and those that lose the environment, are not recorded and tell nothing.
// Their time is missing. A process that was killed tells nothing at its end, so its samples and its sampler count. The
// time that a process told includes its sampler.
struct RecordedTime {
  int64_t total_ns = 0;      // the kernel's
  int64_t samplers_ns = 0;   // the samplers' part of it
  int64_t sampled_ns = 0;    // of all threads' rows
  int64_t accounted_ns = 0;  // of each process the larger one of what it told, and of its samples with its sampler
  // False if the samples cannot have all of the time. Sampling began late, ended early or was paused, a process is not
  // recorded as asked, or rows are gone or have no CPU time.
  bool is_comparable = true;

  // REQUIRES: total_ns >= 0. All threads were asked for, all the time. Everything that was left was read.
  RecordedTime(int64_t total_ns, const RecordedProcesses& processes);

  // Returns the CPU time without that of the samplers.
  int64_t program_ns() const { return total_ns - std::min(samplers_ns, total_ns); }
  // Returns an empty text if at most a tenth of the time is missing, or if the times cannot be compared.
  std::string Note() const;
};

// UnsampledProcesses has the processes that ended before their first sample, as far as they told their CPU time. It
// includes the time before the exec of their program.
struct UnsampledProcesses {
  uint64_t count = 0;
  int64_t cpu_ns = 0;

  explicit UnsampledProcesses(const RecordedProcesses& processes);
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_RECORDED_TIME_H_
