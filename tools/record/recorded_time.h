#ifndef GECKOPROF_TOOLS_RECORD_RECORDED_TIME_H_
#define GECKOPROF_TOOLS_RECORD_RECORDED_TIME_H_

#include <cstdint>
#include <span>
#include <string>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// RecordedTime: how much of the CPU time that a program took, with all the children that it waited for, the samples of
// a recording account for. What is statically linked, privileged, or loses its environment is not recorded, and has
// nobody to say so; its time shows.
//
//   the kernel's figure   ..................................................  user and system, of wait4
//   sampled               ..............................                      the sum of the rows' CPU times
//   expected besides                                    .....                 allowance_ns
//   missing                                                  ...............
//
// The samplers are threads of the recorded processes, and in the kernel's figure.
struct RecordedTime {
  int64_t total_ns = 0;    // the kernel's
  int64_t sampled_ns = 0;  // of all threads' rows
  // What the samplers took, and the most that lies before first and after last samples; at most total_ns.
  int64_t allowance_ns = 0;
  // False where samples were not meant to have it all: sampling began late, ended early or was paused, a process says
  // that something is not as asked, or rows are gone or have no CPU time.
  bool is_comparable = true;

  // Of these processes. REQUIRES: total_ns >= 0; all threads were asked for, all the time; all that was left was read.
  RecordedTime(int64_t total_ns, std::span<const ProcessProfile> processes);

  // Empty where so little is missing that nothing was, or where the times cannot be compared.
  std::string Note() const;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_RECORDED_TIME_H_
