#include "cycle_times.h"

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
    // The last pair is the farthest: it takes the place of one that is too near to the one before it.
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

}  // namespace geckoprof
