#include "recorded_times.h"

#include <algorithm>
#include <cstddef>

namespace geckoprof {

namespace {

// Processors count at 1 MHz (some ARM) to 10 GHz.
bool IsPlausibleStep(const ClockPair& from, const ClockPair& to) {
  if (to.cycles <= from.cycles || to.ns <= from.ns) return false;
  const double rate = static_cast<double>(to.ns - from.ns) / static_cast<double>(to.cycles - from.cycles);
  return rate > 0.1 && rate < 1000;
}

}  // namespace

void CycleTimes::Finish() {
  std::erase_if(pairs_, [](const ClockPair& pair) { return pair.ns <= 0 || pair.ns > INT64_MAX / 4; });
  std::sort(pairs_.begin(), pairs_.end(), [](const ClockPair& a, const ClockPair& b) { return a.cycles < b.cycles; });
  std::vector<ClockPair> kept;
  bool last_is_near = false;
  for (const ClockPair& pair : pairs_) {
    if (!kept.empty() && !IsPlausibleStep(kept.back(), pair)) continue;
    // The last pair is the farthest. It replaces the pair before it if that is too near.
    const auto is_near = [&](size_t row) { return kept[row].ns - kept[row - 1].ns < kApartNs; };
    if (kept.size() >= 2 && is_near(kept.size() - 1)) kept.pop_back();
    kept.push_back(pair);
    last_is_near = kept.size() >= 3 && is_near(kept.size() - 1);
  }
  if (last_is_near) kept.erase(kept.end() - 2);
  pairs_ = std::move(kept);
}

int64_t CycleTimes::ToNs(uint64_t cycles) const {
  const auto above = std::upper_bound(pairs_.begin() + 1, pairs_.end() - 1, cycles,
                                      [](uint64_t wanted, const ClockPair& pair) { return wanted < pair.cycles; });
  const ClockPair& to = *above;
  const ClockPair& from = *(above - 1);
  const double rate = static_cast<double>(to.ns - from.ns) / static_cast<double>(to.cycles - from.cycles);
  const double distance = static_cast<double>(static_cast<int64_t>(cycles - from.cycles));
  const double ns = static_cast<double>(from.ns) + distance * rate;
  if (!(ns > 0)) return 0;
  return ns < static_cast<double>(INT64_MAX / 4) ? from.ns + static_cast<int64_t>(distance * rate) : INT64_MAX / 4;
}

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

bool TickRuns::IsBetweenRuns(int64_t time_ns) const {
  const auto run = std::lower_bound(runs_.begin(), runs_.end(), time_ns,
                                    [](const Run& of, int64_t time) { return of.last_ns < time; });
  return run != runs_.begin() && run != runs_.end() && time_ns < run->first_ns;
}

TickRuns::Tick TickRuns::FirstSince(int64_t time_ns) const {
  const auto run = std::partition_point(runs_.begin(), runs_.end(),
                                        [time_ns](const Run& earlier) { return earlier.last_ns < time_ns; });
  if (run == runs_.end()) return {last(), last_ns()};
  if (time_ns <= run->first_ns) return {run->first, run->first_ns};
  const int64_t apart_ns = ApartNs(*run);
  const int64_t after_first_ns = time_ns - run->first_ns;
  const int64_t steps = after_first_ns / apart_ns + (after_first_ns % apart_ns != 0 ? 1 : 0);
  const auto number = run->first + static_cast<uint64_t>(steps);
  if (number >= run->last) return {run->last, run->last_ns};
  return {number, run->first_ns + steps * apart_ns};
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
