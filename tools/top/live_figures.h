#ifndef GECKOPROF_TOOLS_TOP_LIVE_FIGURES_H_
#define GECKOPROF_TOOLS_TOP_LIVE_FIGURES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "geckoprof/reader/process_profile.h"
#include "tools/symbols/symbolizer.h"

namespace geckoprof {

// FrameNames: the functions of frames that were recorded a moment ago. Each address is looked up once, so that only the
// first page is slow.
// Threads: one.
class FrameNames {
 public:
  struct Name {
    std::string function, library;  // library: file name; empty: none
    bool operator==(const Name&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const Name& name) {
      return H::combine(std::move(h), name.function, name.library);
    }
  };

  // Returns the function of a frame, and then the functions that are inlined there, inwards. There is at least one.
  // `is_caller`: the address is a return address. The result is valid until the next call.
  const std::vector<Name>& Of(const ProcessProfile& process, const FrameRow& frame, bool is_caller);

 private:
  std::vector<Name> Find(const ProcessProfile& process, const FrameRow& frame, uint64_t address);

  Symbolizer symbolizer_;
  // By library's path or text, and address in it.
  absl::flat_hash_map<std::pair<std::string, uint64_t>, std::vector<Name>> names_;
};

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
