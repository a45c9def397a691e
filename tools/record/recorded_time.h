#ifndef GECKOPROF_TOOLS_RECORD_RECORDED_TIME_H_
#define GECKOPROF_TOOLS_RECORD_RECORDED_TIME_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// RecordedTime tells how much of a program's CPU time the samples of a recording account for. The program's time has
// that of all children that it waited for. Programs that are statically linked, privileged, or lose their environment
// are not recorded and cannot report it. Their time shows here.
//
//   the kernel's figure   ..................................................  user and system, of wait4
//   sampled               ..............................                      the sum of the rows' CPU times
//   expected besides                                    .....                 allowance_ns
//   missing                                                  ...............
//
// The samplers are threads of the recorded processes, and in the kernel's figure.
struct RecordedTime {
  int64_t total_ns = 0;     // the kernel's
  int64_t samplers_ns = 0;  // the samplers' part of it
  int64_t sampled_ns = 0;   // of all threads' rows
  // The samplers' time, and the most time before first and after last samples. It is at most total_ns.
  int64_t allowance_ns = 0;
  // False if the samples cannot have all of the time. Sampling began late, ended early or was paused, a process is not
  // recorded as asked, or rows are gone or have no CPU time.
  bool is_comparable = true;

  // REQUIRES: total_ns >= 0. All threads were asked for, all the time. Everything that was left was read.
  template <typename Processes>
  RecordedTime(int64_t total, const Processes& processes) : total_ns(total) {
    for (const ProcessProfile& process : processes) Add(process);
  }

  // Returns the CPU time without that of the samplers.
  int64_t program_ns() const { return total_ns - std::min(samplers_ns, total_ns); }
  // Returns an empty text if little is missing, or if the times cannot be compared.
  std::string Note() const;

 private:
  void Add(const ProcessProfile& process);
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_RECORDED_TIME_H_
