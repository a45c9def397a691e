#include <catch2/catch.hpp>

#include "recorded_times.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

TEST_CASE("ticks that follow one another are one run, which is evenly laid out from its end") {
  TickRuns ticks;
  CHECK_FALSE(ticks.is_open());
  CHECK(ticks.last() == 0);
  ticks.Add(0, 50 * kMs, kMs);
  ticks.Add(1, 100 * kMs, kMs);
  ticks.Add(9, 109 * kMs, kMs);
  ticks.Add(1, 110 * kMs + 300'000, kMs);  // a little late
  REQUIRE(ticks.runs().size() == 1);
  CHECK(ticks.is_open());
  CHECK(ticks.last() == 11);
  const TickRuns::Part all = ticks.Slice(0, 0, 11, INT64_MAX);
  CHECK(all.count == 11);
  CHECK(all.last_ns == 110 * kMs + 300'000);
  CHECK(all.apart_ns == 1'030'000);
  const TickRuns::Part before = ticks.Slice(0, 4, 10, INT64_MAX);
  CHECK(before.count == 6);
  CHECK(before.last_ns == 109 * kMs);  // known
  CHECK(ticks.Slice(0, 4, 9, INT64_MAX).last_ns == 108 * kMs + 240'000);
}

TEST_CASE("where ticks ended, came far too late, or at another interval, another run begins") {
  TickRuns ticks;
  ticks.Add(5, 105 * kMs, kMs);
  ticks.End();
  CHECK_FALSE(ticks.is_open());
  ticks.Add(1, 106 * kMs, kMs);
  ticks.Add(3, 120 * kMs, kMs);       // three that take fourteen
  ticks.Add(2, 140 * kMs, 10 * kMs);  // another interval
  ticks.Add(1, 189 * kMs, 10 * kMs);  // late by less than four ticks
  ticks.Add(1, 238 * kMs, 10 * kMs);
  ticks.Add(1, 200 * kMs, 10 * kMs);  // goes back: no order to rely on, and nothing to overflow
  REQUIRE(ticks.runs().size() == 4);
  CHECK(ticks.runs()[0].last == 5);
  CHECK(ticks.runs()[1].first == 6);
  CHECK(ticks.runs()[1].last == 6);
  CHECK(ticks.runs()[2].last == 9);
  CHECK(ticks.runs()[3].first == 10);
  CHECK(ticks.RunAfter(0) == 0);
  CHECK(ticks.RunAfter(4) == 0);
  CHECK(ticks.RunAfter(5) == 1);
  CHECK(ticks.RunAfter(ticks.last()) == 4);
  CHECK(ticks.Slice(0, 2, 9, INT64_MAX).count == 3);
  CHECK(ticks.Slice(0, 2, 9, INT64_MAX).last_ns == 105 * kMs);
  CHECK(ticks.Slice(2, 2, 9, INT64_MAX).count == 3);
}

TEST_CASE("of a run only what is not too late is taken") {
  TickRuns ticks;
  ticks.Add(10, 110 * kMs, kMs);
  CHECK(ticks.Slice(0, 0, 10, 110 * kMs).count == 10);
  CHECK(ticks.Slice(0, 0, 10, 109 * kMs + 999'999).count == 9);
  CHECK(ticks.Slice(0, 0, 10, 105 * kMs).last_ns == 105 * kMs);
  CHECK(ticks.Slice(0, 3, 8, 105 * kMs).count == 2);
  CHECK(ticks.Slice(0, 3, 8, 103 * kMs).count == 0);
  CHECK(ticks.Slice(0, 0, 10, INT64_MIN).count == 0);
  CHECK(ticks.Slice(0, 10, 10, INT64_MAX).count == 0);
}

TEST_CASE("the first tick since a time") {
  TickRuns ticks;
  ticks.Add(10, 110 * kMs, kMs);
  ticks.End();
  ticks.Add(3, 205 * kMs, kMs);
  const auto check = [&](int64_t time_ns, uint64_t number, int64_t tick_ns) {
    INFO(time_ns);
    CHECK(ticks.FirstSince(time_ns).number == number);
    CHECK(ticks.FirstSince(time_ns).time_ns == tick_ns);
  };
  check(INT64_MIN, 1, 101 * kMs);
  check(101 * kMs, 1, 101 * kMs);
  check(101 * kMs + 1, 2, 102 * kMs);
  check(105 * kMs, 5, 105 * kMs);
  check(110 * kMs, 10, 110 * kMs);
  check(110 * kMs + 1, 11, 203 * kMs);  // none between the runs
  check(204 * kMs, 12, 204 * kMs);
  check(205 * kMs, 13, 205 * kMs);
  check(INT64_MAX, 13, 205 * kMs);  // there is none
}

TEST_CASE("numbers and times at their ends overflow nowhere") {
  TickRuns ticks;
  for (int i = 0; i < 3; ++i) ticks.Add(UINT32_MAX, INT64_MAX / 2, 5'000'000'000);
  CHECK(ticks.last() == 3 * uint64_t{UINT32_MAX});
  CHECK(ticks.Slice(0, 0, 1, INT64_MAX).count == 0);  // it would lie before all time
  CHECK(ticks.Slice(0, 0, ticks.last(), 5).count == 0);
  CHECK(ticks.Slice(0, 0, ticks.last(), INT64_MAX).count == ticks.last());
}

TEST_CASE("a time in a pause lies between two runs") {
  TickRuns ticks;
  CHECK_FALSE(ticks.IsBetweenRuns(100 * kMs));
  ticks.Add(10, 110 * kMs, kMs);
  ticks.End();
  ticks.Add(10, 210 * kMs, kMs);
  CHECK_FALSE(ticks.IsBetweenRuns(90 * kMs));
  CHECK_FALSE(ticks.IsBetweenRuns(110 * kMs));
  CHECK(ticks.IsBetweenRuns(150 * kMs));
  CHECK_FALSE(ticks.IsBetweenRuns(201 * kMs));
  CHECK_FALSE(ticks.IsBetweenRuns(300 * kMs));
}

}  // namespace
}  // namespace geckoprof
