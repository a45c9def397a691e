#include "tools/record/recorded_gaps.h"

#include <algorithm>

#include "geckoprof/base/clock.h"
#include "geckoprof/reader/profile_facts.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// Below these, a recording is as good as one without gaps.
constexpr int64_t kLeastNs = 20 * kNsPerMs;
constexpr int64_t kLeastShare = 100;  // one per cent

void AddNs(int64_t ns, int64_t& sum_ns) { sum_ns += std::clamp<int64_t>(ns, 0, INT64_MAX - sum_ns); }

std::string Ms(int64_t ns) { return Concat((ns + kNsPerMs / 2) / kNsPerMs, " ms"); }

}  // namespace

void RecordedGaps::AddProcess(const ProcessProfile& process) {
  for (const ThreadRow& thread : process.threads) {
    for (const SampleRow& sample : thread.samples) {
      AddNs(sample.cpu_delta_ns, cpu_ns_);
      if (!IsGap(sample)) continue;
      ++count_;
      AddNs(sample.cpu_delta_ns, gaps_ns_);
      longest_ns_ = std::max(longest_ns_, sample.cpu_delta_ns);
    }
  }
}

std::string RecordedGaps::Note() const {
  if (gaps_ns_ < kLeastNs || gaps_ns_ < cpu_ns_ / kLeastShare) return "";
  const auto percent = static_cast<int64_t>(100.0 * static_cast<double>(gaps_ns_) / static_cast<double>(cpu_ns_) + 0.5);
  return Concat("running threads had no samples for ", Ms(gaps_ns_), " (", percent, " % of the CPU time), in ", count_,
                count_ == 1 ? " gap" : Concat(" gaps, the longest ", Ms(longest_ns_)),
                ". The sampler was late, or it had no buffer left. A less busy machine or a longer --interval helps.");
}

}  // namespace geckoprof
