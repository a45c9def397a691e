#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_RECORDED_SESSION_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_RECORDED_SESSION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "geckoprof/reader/process_profile.h"
#include "tools/processed_format/recorded_processes.h"
#include "tools/symbols/held_files.h"

namespace geckoprof {

// Everything that one recording left. The outputs are made from it.
struct RecordedSession {
  RecordedProcesses processes;         // the recorded program first, then by start
  std::string product;                 // name of the profile; empty: the first process's program
  std::vector<std::string> arguments;  // the command line; empty: the first process's
  int32_t exit_status = 0;             // in the form of a shell
  bool exit_status_known = false;
  std::string end;  // of the program, and of processes that crashed; empty: unknown
  // User and system time, if all of it was to be sampled.
  struct CpuTimes {
    int64_t program_ns;  // of the program and the children that it waited for, without the samplers
    int64_t sampled_ns;  // the part of it that the rows of all samples have
  };
  std::optional<CpuTimes> cpu_times;
  // The number of processes that ended before their first sample, and their CPU time.
  uint64_t unsampled_processes = 0;
  int64_t unsampled_cpu_ns = 0;
  const HeldFiles* held_files = nullptr;  // opened while they were mapped; may be null; outlives the session
  std::vector<LossRow> losses;            // of the recording as a whole (a segment that could not be read, ...)
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_RECORDED_SESSION_H_
