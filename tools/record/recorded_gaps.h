#ifndef GECKOPROF_TOOLS_RECORD_RECORDED_GAPS_H_
#define GECKOPROF_TOOLS_RECORD_RECORDED_GAPS_H_

#include <cstdint>
#include <string>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// RecordedGaps: the times in which threads of a recording ran and had no samples (IsGap).
class RecordedGaps {
 public:
  void AddProcess(const ProcessProfile& process);

  // Says how much CPU time has no samples, and what helps. Returns an empty text if the share is small.
  std::string Note() const;

 private:
  uint64_t count_ = 0;
  int64_t gaps_ns_ = 0, longest_ns_ = 0;
  int64_t cpu_ns_ = 0;  // of all rows, those of gaps included
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_RECORDED_GAPS_H_
