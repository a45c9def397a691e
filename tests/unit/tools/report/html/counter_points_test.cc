#include "tools/report/html/counter_points.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

ProfileCounter Counter(std::vector<ProfileCounter::Row> rows, bool is_rate) {
  ProfileCounter counter;
  counter.is_rate = is_rate;
  counter.rows = std::move(rows);
  return counter;
}

TEST_CASE("a counter is drawn as its value, a rate as what was added") {
  const std::vector<ProfileCounter::Row> rows = {{0, 100, 0}, {1, 5, 1}, {2, -30, 1}};
  CHECK(CounterPoints(Counter(rows, false), 10) == std::vector<CounterPoint>{{0, 100}, {1, 105}, {2, 75}});
  CHECK(CounterPoints(Counter(rows, true), 10) == std::vector<CounterPoint>{{0, 100}, {1, 5}, {2, -30}});
  CHECK(CounterPoints(Counter({}, false), 10).empty());
}

TEST_CASE("rows are taken in order of time") {
  CHECK(CounterPoints(Counter({{2, 1, 0}, {1, 10, 0}}, false), 10) == std::vector<CounterPoint>{{1, 10}, {2, 11}});
}

TEST_CASE("of many rows the extremes are left") {
  std::vector<ProfileCounter::Row> rows;
  for (int i = 0; i < 1000; ++i) rows.push_back({static_cast<double>(i), i == 500 ? 7.0 : i == 501 ? -7.0 : 0.0, 0});
  const std::vector<CounterPoint> points = CounterPoints(Counter(rows, false), 20);
  CHECK(points.size() <= 20);
  CHECK(std::find(points.begin(), points.end(), CounterPoint{500, 7}) != points.end());
  CHECK(std::is_sorted(points.begin(), points.end(), [](auto& a, auto& b) { return a.time_ms < b.time_ms; }));

  double sum = 0;
  const std::vector<CounterPoint> rates = CounterPoints(Counter(rows, true), 20);
  for (const CounterPoint& point : rates) sum += point.value;
  CHECK(rates.size() <= 20);
  CHECK(sum == 0);

  rows.front().time_ms = -1.7e308;  // so long that it has no length
  rows.back().time_ms = 1.7e308;
  CHECK(!CounterPoints(Counter(rows, true), 20).empty());
  for (ProfileCounter::Row& row : rows) row.time_ms = 3;  // no time passes
  CHECK(CounterPoints(Counter(rows, true), 20) == std::vector<CounterPoint>{{3, 0}});
}

}  // namespace
}  // namespace geckoprof
