#include "tools/machine/growing_count.h"

#include <utility>

#include "geckoprof/base/clock.h"

namespace geckoprof {

bool GrowingCount::Add(uint64_t reading, int64_t now_ns) {
  const bool was_begun = is_begun();
  const uint64_t last = std::exchange(last_, reading);
  const int64_t before_ns = std::exchange(read_ns_, now_ns);
  if (range_ != 0 && reading > range_) {
    last_ = last;
    read_ns_ = before_ns;
    return false;
  }
  if (!was_begun) return true;
  uint64_t growth = reading - last;
  if (reading < last) growth = range_ != 0 ? range_ - last + reading : 0;
  const double seconds = static_cast<double>(now_ns - before_ns) / kNsPerSecond;
  const double most = static_cast<double>(most_per_second_) * seconds + static_cast<double>(most_at_once_);
  if (static_cast<double>(growth) > most) return false;
  total_ += growth;
  return true;
}

}  // namespace geckoprof
