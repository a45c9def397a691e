#include "tools/report/html/counter_points.h"

#include <algorithm>
#include <cmath>

namespace geckoprof {
namespace {

bool IsEarlierPoint(const CounterPoint& a, const CounterPoint& b) { return a.time_ms < b.time_ms; }
bool IsLess(const CounterPoint& a, const CounterPoint& b) { return a.value < b.value; }

// Of one part of the time: in the order in which they came.
void AddExtremes(std::vector<CounterPoint>::const_iterator begin, std::vector<CounterPoint>::const_iterator end,
                 std::vector<CounterPoint>* out) {
  const auto [least, most] = std::minmax_element(begin, end, IsLess);
  out->push_back(*std::min(least, most));
  if (least != most) out->push_back(*std::max(least, most));
}

}  // namespace

std::vector<CounterPoint> CounterPoints(const ProfileCounter& counter, size_t most_points) {
  std::vector<CounterPoint> points;
  points.reserve(counter.rows.size());
  for (const ProfileCounter::Row& row : counter.rows) points.push_back({row.time_ms, row.count});
  std::stable_sort(points.begin(), points.end(), IsEarlierPoint);
  if (!counter.is_rate) {
    double sum = 0;
    for (CounterPoint& point : points) point.value = sum += point.value;
  }
  if (points.size() <= most_points || points.size() < 2) return points;
  const double first_ms = points.front().time_ms, span_ms = points.back().time_ms - first_ms;
  const double parts = static_cast<double>(std::max<size_t>(1, counter.is_rate ? most_points : most_points / 2));
  const auto part_of = [&](const CounterPoint& point) {
    return span_ms > 0 ? std::min(std::floor((point.time_ms - first_ms) / span_ms * parts), parts - 1) : 0;
  };
  std::vector<CounterPoint> fewer;
  for (auto begin = points.cbegin(), end = begin; begin != points.cend(); begin = end) {
    const double part = part_of(*begin);
    for (end = begin + 1; end != points.cend() && part_of(*end) == part;) ++end;
    if (!counter.is_rate) {
      AddExtremes(begin, end, &fewer);
      continue;
    }
    double sum = 0;
    for (auto point = begin; point != end; ++point) sum += point->value;
    fewer.push_back({begin->time_ms, sum});
  }
  return fewer;
}

}  // namespace geckoprof
