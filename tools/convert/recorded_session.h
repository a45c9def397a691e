#ifndef GECKOPROF_TOOLS_CONVERT_RECORDED_SESSION_H_
#define GECKOPROF_TOOLS_CONVERT_RECORDED_SESSION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "geckoprof/streaming/process_profile.h"

namespace geckoprof {

// Everything that one recording left: what the outputs are made from.
struct RecordedSession {
  std::vector<ProcessProfile> processes;  // the recorded program first, then by start
  std::string product;                    // name of the profile; empty: the first process's program
  std::vector<std::string> arguments;     // the command line; empty: the first process's
  int32_t exit_status = 0;                // as a shell shows it
  bool exit_status_known = false;
  int64_t program_cpu_ns = -1;  // user and system, of the program and the children it waited for; negative: not known
  int64_t sampled_cpu_ns = 0;   // what the rows of all samples have of it
  std::vector<LossRow> losses;  // of the recording as a whole (a segment that could not be read, ...)
};

// An idle row stands for ticks in which the thread did not run, and was not sampled. Where the CPU time is unknown,
// only runs of them are known to be idle.
inline bool IsSample(const SampleRow& row) { return row.idle_ticks <= 1 && row.cpu_delta_ns != 0; }

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_RECORDED_SESSION_H_
