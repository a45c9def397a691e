#ifndef GECKOPROF_TOOLS_TOP_LIVE_SOURCE_H_
#define GECKOPROF_TOOLS_TOP_LIVE_SOURCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// LiveSource: the segments of what is looked at while they are being written. Reading takes time in proportion to what
// the segments hold, and never blocks or slows the program: it copies chunks that others go on writing to.
//
//   4711                        the process: its segment is looked for where recordings of this user are
//   4710                        the recorder of others: all living processes of its recording
//   /dev/shm/geckoprof-a1B2c3   all living processes of a recording
//   .../4711-0.segment          one segment
class LiveSource {
 public:
  // An error is one line that names the target.
  static absl::StatusOr<LiveSource> Find(const std::string& target);

  // What the segments hold now, of the processes that live; of all, where no one lives. No processes: they are gone, or
  // nothing can be read.
  struct Contents {
    std::vector<ProcessProfile> processes;
    bool any_lives = false;
    bool any_damaged = false;
  };
  Contents Read() const;

 private:
  std::vector<std::string> Segments() const;

  std::string directory_;  // empty: `segment_`, or that process's newest
  std::string segment_;
  int32_t pid_ = 0;  // 0: all of the directory
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_TOP_LIVE_SOURCE_H_
