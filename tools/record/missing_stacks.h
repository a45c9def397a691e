// Notes of `record` about samples, or parts of them, that a recording lacks.
#ifndef GECKOPROF_TOOLS_RECORD_MISSING_STACKS_H_
#define GECKOPROF_TOOLS_RECORD_MISSING_STACKS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// MissingStacks: how many samples of a recording lack their stack or its outer frames, and why.
//
//   samples           ........................................  all, as `record` prints them
//   with_native       ..................................        of processes that were asked for native stacks
//   by_reason                                 . .... ........   of these: a frame tells the reason, or there is no
//   stack
//
class MissingStacks {
 public:
  void AddProcess(const ProcessProfile& process);

  uint64_t samples() const { return samples_; }
  // Returns the share with each reason, the most frequent one first, and the user's remedies for these reasons. Returns
  // an empty text if the share is small.
  std::string Note() const;

 private:
  uint64_t samples_ = 0;
  uint64_t with_native_ = 0;
  std::map<std::string, uint64_t, std::less<>> by_reason_;
};

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

#endif  // GECKOPROF_TOOLS_RECORD_MISSING_STACKS_H_
