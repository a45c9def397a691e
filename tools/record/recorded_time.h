#ifndef GECKOPROF_TOOLS_RECORD_RECORDED_TIME_H_
#define GECKOPROF_TOOLS_RECORD_RECORDED_TIME_H_

#include <cstdint>
#include <span>
#include <string>

#include "geckoprof/streaming/process_profile.h"

namespace geckoprof {

// RecordedTime: how much of the CPU time that a program took, with all the children that it waited for, the samples of
// a recording account for. What is statically linked, privileged, or loses its environment is not recorded, and has
// nobody to say so; its time shows.
//
//   the kernel's figure   ..................................................  user and system, of wait4
//   sampled               ..............................                      the sum of the rows' CPU times
//   expected besides                                    .....                 Allowance
//   missing                                                  ...............
struct RecordedTime {
  int64_t total_ns = 0;      // the kernel's
  int64_t sampled_ns = 0;    // of all threads' rows
  int64_t allowance_ns = 0;  // what lies before each image's first and after each thread's last sample, at most

  // Of these processes. `total_ns`: at least 0.
  RecordedTime(int64_t total_ns, std::span<const ProcessProfile> processes);

  // Empty where so little is missing that nothing was, or where samples were not meant to have it all: rows that are
  // gone or have no CPU time. REQUIRES: all threads were asked for, all the time.
  std::string Note() const;

 private:
  bool is_partial_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_RECORDED_TIME_H_
