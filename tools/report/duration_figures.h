#ifndef GECKOPROF_TOOLS_REPORT_DURATION_FIGURES_H_
#define GECKOPROF_TOOLS_REPORT_DURATION_FIGURES_H_

#include <cstddef>
#include <vector>

namespace geckoprof {

// DurationFigures: how long things of one kind took. A percentile is the smallest duration that at least so many per
// cent of all do not exceed (nearest rank): one that occurred.
class DurationFigures {
 public:
  void AddInstant() { ++count_; }
  void Add(double duration_ms) {
    ++count_;
    total_ms_ += duration_ms;
    durations_ms_.push_back(duration_ms);
  }

  size_t count() const { return count_; }  // instants among them
  double total_ms() const { return total_ms_; }
  bool has_durations() const { return !durations_ms_.empty(); }
  // 0 < percent <= 100; there is a duration. Sorts what was added.
  double Percentile(double percent);

 private:
  size_t count_ = 0;
  double total_ms_ = 0;
  std::vector<double> durations_ms_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_DURATION_FIGURES_H_
