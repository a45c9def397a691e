#ifndef GECKOPROF_TOOLS_PROFILE_COUNTER_PEAK_H_
#define GECKOPROF_TOOLS_PROFILE_COUNTER_PEAK_H_

#include <algorithm>
#include <optional>

namespace geckoprof {

// CounterPeak finds the greatest value of a counter. The value is the sum of its rows so far, with the first row, which
// tells what there was before. The value of a rate is what a row added, for a second. A row within an
// interval of the one before it counts as if the interval had passed. A short time thus makes no high rate.
class CounterPeak {
 public:
  CounterPeak(bool is_rate, double interval_ms) : is_rate_(is_rate), interval_ms_(interval_ms) {}

  // Called for all rows, in order. A row that does not count is only the begin of the next one.
  void Add(double time_ms, double count, bool counts = true) {
    level_ += count;
    const double passed_ms = before_ms_.has_value() ? std::max(time_ms - *before_ms_, interval_ms_) : 0;
    before_ms_ = time_ms;
    if (!counts || (is_rate_ && passed_ms <= 0)) return;
    const double value = is_rate_ ? count / passed_ms * 1000 : level_;
    peak_ = std::max(peak_.value_or(value), value);
  }
  // Nothing: there is no row that counts.
  std::optional<double> value() const { return peak_; }

 private:
  const bool is_rate_;
  const double interval_ms_;
  double level_ = 0;
  std::optional<double> before_ms_, peak_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_COUNTER_PEAK_H_
