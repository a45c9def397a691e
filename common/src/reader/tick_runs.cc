#include "tick_runs.h"

#include <algorithm>

namespace geckoprof {
namespace {

// Ticks that are so much later than they were due were not late, but not there.
constexpr int64_t kLongPauseNs = 5'000'000;
constexpr int64_t kLongPauseTicks = 4;

}  // namespace

void TickRuns::Add(uint64_t count, int64_t time_ns, int64_t interval_ns) {
  if (count == 0) return;
  bool is_new = !is_open() || runs_.back().interval_ns != interval_ns;
  if (!is_new) {
    const int64_t late_ns = time_ns - last_ns() - std::max(kLongPauseNs, kLongPauseTicks * interval_ns);
    is_new = late_ns > 0 && static_cast<uint64_t>(late_ns / interval_ns) >= count;
  }
  if (is_new) {
    const auto most_back = static_cast<uint64_t>(time_ns / interval_ns);  // time does not begin before 0
    const auto back = static_cast<int64_t>(std::min(count - 1, most_back));
    runs_.push_back({last() + 1, last() + count, time_ns - back * interval_ns, time_ns, interval_ns});
    before_last_ns_ = time_ns - interval_ns;
  } else {
    before_last_ns_ = count == 1 ? last_ns() : time_ns - interval_ns;
    runs_.back().last += count;
    runs_.back().last_ns = time_ns;
  }
  ended_ = false;
}

int64_t TickRuns::ApartNs(const Run& run) {
  if (run.last == run.first) return run.interval_ns;
  const int64_t mean_ns = (run.last_ns - run.first_ns) / static_cast<int64_t>(run.last - run.first);
  return std::max(mean_ns, run.interval_ns);
}

size_t TickRuns::RunAfter(uint64_t tick) const {
  size_t row = runs_.size();
  // Most often it is the last one.
  while (row > 0 && runs_[row - 1].last > tick) --row;
  return row;
}

TickRuns::Part TickRuns::Slice(size_t run, uint64_t after, uint64_t last, int64_t until_ns) const {
  const Run& of = runs_[run];
  const int64_t apart_ns = ApartNs(of);
  const uint64_t first = std::max(of.first, after + 1);
  uint64_t back = of.last > last ? of.last - last : 0;
  if (of.last_ns > until_ns) {
    const auto too_late_ns = static_cast<uint64_t>(of.last_ns) - static_cast<uint64_t>(until_ns);
    back = std::max(back, (too_late_ns - 1) / static_cast<uint64_t>(apart_ns) + 1);
  }
  if (of.last < first || back > of.last - first) return {};
  if (back > static_cast<uint64_t>(of.last_ns / apart_ns)) return {};
  const bool is_before_last = back == 1 && run + 1 == runs_.size() && before_last_ns_ <= until_ns;
  const int64_t last_ns = is_before_last ? before_last_ns_ : of.last_ns - static_cast<int64_t>(back) * apart_ns;
  return {of.last - back - first + 1, last_ns, apart_ns};
}

}  // namespace geckoprof
