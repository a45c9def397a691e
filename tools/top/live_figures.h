#ifndef GECKOPROF_TOOLS_TOP_LIVE_FIGURES_H_
#define GECKOPROF_TOOLS_TOP_LIVE_FIGURES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "geckoprof/reader/process_profile.h"
#include "tools/top/frame_names.h"

namespace geckoprof {

// LiveFigures: what happened in an interval [from, to) of time, as `geckoprof top` shows it. Lists are complete and
// sorted, the busiest first. A sample counts where the thread ran; recursion counts once.
struct LiveFigures {
  struct Thread {
    int32_t pid = 0, tid = 0;
    std::string name, program;
    int64_t cpu_ns = 0;
    uint64_t samples = 0, markers = 0;
  };
  struct Function {
    FrameNames::Name name;
    uint64_t self = 0, total = 0;
  };

  int64_t from_ns = 0, to_ns = 0;
  size_t processes = 0;
  size_t all_threads = 0;  // that live, or ended in the interval and did something in it
  uint64_t samples = 0, markers = 0;
  int64_t cpu_ns = 0;
  std::vector<Thread> threads;  // that ran or added markers
  std::vector<Function> functions;
  std::map<std::string, uint64_t> losses;  // since the start

  double seconds() const { return static_cast<double>(to_ns - from_ns) / 1e9; }

  static LiveFigures Of(const std::vector<ProcessProfile>& processes, int64_t from_ns, int64_t to_ns,
                        FrameNames& names);
};

// The time of the last sample or marker.
int64_t LastTimeNs(const std::vector<ProcessProfile>& processes);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_TOP_LIVE_FIGURES_H_
