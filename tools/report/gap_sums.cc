#include "tools/report/gap_sums.h"

#include <algorithm>

#include "tools/report/number_text.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

std::string NsText(int64_t ns) { return DurationText(static_cast<double>(ns) / 1e6); }

}  // namespace

void GapSums::Add(int64_t gap_cpu_ns) { Add({1, gap_cpu_ns, gap_cpu_ns}); }

void GapSums::Add(const GapSums& other) {
  count += other.count;
  cpu_ns += std::min(other.cpu_ns, INT64_MAX - cpu_ns);
  longest_ns = std::max(longest_ns, other.longest_ns);
}

std::string GapSums::Text(int64_t all_cpu_ns) const {
  const std::string share =
      all_cpu_ns > 0 ? Concat(" (", PercentText(static_cast<double>(cpu_ns), static_cast<double>(all_cpu_ns)), ")")
                     : std::string();
  const std::string gaps =
      count == 1 ? std::string("1 gap")
                 : Concat(GroupedText(static_cast<double>(count)), " gaps, the longest ", NsText(longest_ns));
  return Concat(NsText(cpu_ns), share, " without samples, in ", gaps);
}

}  // namespace geckoprof
