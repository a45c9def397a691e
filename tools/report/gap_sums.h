#ifndef GECKOPROF_TOOLS_REPORT_GAP_SUMS_H_
#define GECKOPROF_TOOLS_REPORT_GAP_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace geckoprof {

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

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_GAP_SUMS_H_
