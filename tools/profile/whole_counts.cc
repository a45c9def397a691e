#include "tools/profile/whole_counts.h"

#include <algorithm>
#include <cmath>

namespace geckoprof {

int64_t WholeCounts::Next(double weight) {
  constexpr long double kMost = 9e18L;
  total_ = std::min(total_ + weight, kMost);
  const int64_t count = std::llround(total_) - given_;
  given_ += count;
  return count;
}

}  // namespace geckoprof
