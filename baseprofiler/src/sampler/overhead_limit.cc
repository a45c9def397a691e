#include "sampler/overhead_limit.h"

#include <algorithm>
#include <utility>

namespace geckoprof {

int64_t OverheadLimit::Judge(const Spent& spent) {
  constexpr int64_t kFewestTicks = 8, kParts = 10'000;
  const int64_t passed_ns = spent.time_ns - begin_.time_ns;
  if (begin_.time_ns == 0) begin_ = spent;
  if (passed_ns < kFewestTicks * interval_ns_ || begin_.time_ns == spent.time_ns) return interval_ns_;
  const int64_t whole_ns = std::max(passed_ns, spent.program_ns - begin_.program_ns);
  share_ = (spent.profiler_ns - begin_.profiler_ns) * kParts / whole_ns;
  // Half of an interval at most doubles the time for samples. Rare looks come as often as the ticks.
  const int64_t samples_share = (spent.samples_ns - begin_.samples_ns) * kParts / whole_ns;
  int64_t rise = interval_ns_ > kRareLooksNs ? share_ : std::min(samples_share, share_);
  begin_ = spent;
  const int64_t before_ns = interval_ns_;
  const int64_t highest = int64_t{limit_} * 4 / 5;
  if (!is_judged_) {
    is_judged_ = true;
  } else if (share_ > limit_) {
    for (int64_t share = share_; share > limit_ && 2 * interval_ns_ <= kLongestNs; share /= 2) interval_ns_ *= 2;
    calm_ns_ = 0;
    if (std::exchange(has_shrunk_, false)) patience_ns_ = std::min(2 * patience_ns_, kMostPatienceNs);
  } else if (interval_ns_ > asked_ns_ && share_ + rise <= highest) {
    calm_ns_ += passed_ns;
    if (calm_ns_ >= patience_ns_) {
      for (int64_t share = share_ + rise; share <= highest && interval_ns_ > asked_ns_; share += rise) {
        interval_ns_ /= 2;
        rise *= 2;
      }
      has_shrunk_ = true;
    }
  } else {
    calm_ns_ = 0;
  }
  if (interval_ns_ != before_ns) {
    calm_ns_ = 0;
    is_judged_ = false;
  }
  return interval_ns_;
}

}  // namespace geckoprof
