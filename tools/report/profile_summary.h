#ifndef GECKOPROF_TOOLS_REPORT_PROFILE_SUMMARY_H_
#define GECKOPROF_TOOLS_REPORT_PROFILE_SUMMARY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/profile/profile_model.h"

namespace geckoprof {

// CallTree: samples summed up by call path. Rows of a model's stack table with the same functions in the same
// order are one node, even from different threads or addresses.
//
//   node:  parent | function | own weight (samples that end here) | weight (samples that end here or below)
//
// Invariants: a node's parent is an earlier node, so sums run backwards over the vector. Nothing recurses, because a
// file may have stacks of any depth. Every operation is linear in the size of the stack table.
class CallTree {
 public:
  struct Node {
    int32_t parent = kNoRow;
    int32_t function = 0;
    double self_weight = 0;
    double weight = 0;
  };
  struct FunctionWeights {
    double self_weight = 0;
    double total_weight = 0;  // recursion counts once a sample
  };

  // weights: what each row of model.stacks weighs as the end of samples.
  CallTree(const ProfileModel& model, const std::vector<double>& weights);

  const std::vector<Node>& nodes() const { return nodes_; }
  // By row of model.functions.
  std::vector<FunctionWeights> ByFunction() const;
  // Returns node numbers from a root downwards, always to the heaviest callee. The path ends where no callee
  // outweighs the samples that stop at the function. A callee with less than 1 % of the path's samples ends it, too.
  std::vector<int32_t> HeaviestPath() const;

 private:
  size_t functions_;
  std::vector<Node> nodes_;
};

// AllocationSums: the rows of threads that weigh bytes, those that were allocated and those that were freed each with
// their number. Rows that weigh nothing are neither.
struct AllocationSums {
  double count = 0, bytes = 0;
  double frees = 0, freed_bytes = 0;

  bool empty() const { return count == 0 && frees == 0; }
  // Nothing of a thread whose rows are samples.
  void Add(const ProfileThread& thread);
  // "32,800 bytes in 328 allocations, 13,120 bytes in 328 frees"; `one`: what a row is of.
  std::string Text(std::string_view one = "allocation") const;
};

// Rows that count as nothing, because their weight is 0, negative (where it is no free) or too large. A row
// without weight, stack and CPU time is none of them. It only says when the CPU time of the next one begins. Nor is a
// gap.
size_t RowsWithoutWeight(const ProfileThread& thread);

// GapSums adds up the times in which threads ran and had no samples (IsGap).
struct GapSums {
  size_t count = 0;
  int64_t cpu_ns = 0;      // without samples
  int64_t longest_ns = 0;  // in one gap

  void Add(int64_t gap_cpu_ns);
  void Add(const GapSums& other);
  // "1.2 s (3.4 %) without samples, in 180 gaps, the longest 17.7 ms". `all_cpu_ns` is the CPU time that the share is
  // of. If it is 0, there is no share. REQUIRES: there is a gap.
  std::string Text(int64_t all_cpu_ns) const;
};

// The first sentence says why there are gaps, and the second how to have fewer of them.
inline constexpr std::string_view kGapCause = "The sampler was late, or it had no buffer left.";
inline constexpr std::string_view kGapRemedy = "A less busy machine or a longer --interval helps.";

// What is summed up of what a ProfileFilter left.
struct SummarySelection {
  bool with_idle = false;  // count samples of threads that did not run among the functions, too
};

// What a report says of a profile, in figures: made once, written as text or JSON. Lists are complete and sorted,
// heaviest first (threads and functions) or in the file's order (the path, the sections).
//
// A row of a thread is idle if the thread used no CPU time since the row before; without CPU times, if its category is
// "Idle". All other rows are samples. Each counts as often as its weight says. Rows that weigh bytes are allocations
// and no samples; the functions and the path are made of them only where there is nothing else (MainMeasure).
//
// The function "(root)", with which every stack begins, is left out: it says nothing of the program.
struct ProfileSummary {
  struct Thread {
    int32_t row = 0;                // of model.threads
    std::optional<int64_t> cpu_ns;  // sum of the deltas but the first, which covers time before the recording
    // The other parts of the thread's time, if the file says what it did: of waiting for a core, and of other waits.
    std::optional<int64_t> ready_ns, wait_ns;
    double samples = 0;  // without the idle ones
    double idle_samples = 0;
    std::optional<GapSums> gaps;  // if the file says what the thread did
    AllocationSums allocations;   // of a thread that weighs bytes
    size_t markers = 0;           // an interval written as start and end counts once
  };
  struct Function {
    int32_t row = 0;  // of model.functions
    double self_samples = 0;
    double total_samples = 0;
  };
  struct PathStep {
    int32_t function = 0;  // row of model.functions
    double samples = 0;
    double self_samples = 0;
  };
  struct Marker {
    int32_t name = 0;     // row of model.strings
    size_t count = 0;     // an interval written as start and end counts once
    double total_ms = 0;  // of intervals; 0 for instants
  };

  size_t processes = 0;  // of the system; each may have run several programs
  size_t program_images = 0;
  size_t markers = 0;
  double samples = 0;  // weights added up, without the idle ones
  double idle_samples = 0;
  double counted_samples = 0;  // those that the functions and the path are made of; or bytes
  bool in_bytes = false;       // as are the samples of functions and of the path
  AllocationSums allocations;
  std::optional<GapSums> gaps;     // of the threads that have them
  std::optional<int64_t> cpu_ns;   // of all threads
  size_t rows_without_weight = 0;  // counted nowhere
  bool has_wait_times = false;     // of a thread at least
  bool has_stacks = false;         // a row, idle or not, has more of a stack than "(root)"
  double duration_ms = 0;          // of the recording; from the samples where the file does not say
  std::vector<Thread> threads;
  std::vector<Function> by_self, by_total;
  std::vector<PathStep> heaviest_path;
  std::vector<Marker> marker_names;
  std::vector<int32_t> counters;  // rows of model.counters
};

ProfileSummary Summarize(const ProfileModel& model, const SummarySelection& selection);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_PROFILE_SUMMARY_H_
