#include <catch2/catch.hpp>
#include <cstdlib>

#include "recorded_times.h"

namespace geckoprof {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

CycleTimes Of(std::initializer_list<ClockPair> pairs) {
  CycleTimes times;
  for (const ClockPair& pair : pairs) times.Add(pair);
  times.Finish();
  return times;
}

TEST_CASE("cycle times: there is no line through fewer than two points") {
  CHECK_FALSE(Of({}).known());
  CHECK_FALSE(Of({{1000, kSecond}}).known());
  CHECK_FALSE(Of({{0, 0}, {1000, kSecond}}).known());  // a segment without a first pair
  CHECK_FALSE(Of({{1000, kSecond}, {1000, kSecond}}).known());
  CHECK(Of({{1000, kSecond}, {2000, kSecond + 500}}).known());
}

TEST_CASE("cycle times: between pairs on their line, outside on the nearest") {
  // 2 cycles a ns, then 1.
  const CycleTimes times =
      Of({{4'000'000'000, 3 * kSecond}, {0, kSecond}, {5'000'000'000, 4 * kSecond}});  // in any order
  REQUIRE(times.known());
  CHECK(times.ToNs(0) == kSecond);
  CHECK(times.ToNs(2'000'000'000) == 2 * kSecond);
  CHECK(times.ToNs(4'000'000'000) == 3 * kSecond);
  CHECK(times.ToNs(4'500'000'000) == 3 * kSecond + kSecond / 2);
  CHECK(times.ToNs(6'000'000'000) == 5 * kSecond);
}

TEST_CASE("cycle times: a time before the first pair follows the first line") {
  const CycleTimes times = Of({{4'000'000'000, 3 * kSecond}, {6'000'000'000, 4 * kSecond}});
  CHECK(times.ToNs(2'000'000'000) == 2 * kSecond);
  CHECK(times.ToNs(0) == kSecond);
}

TEST_CASE("cycle times: never a decreasing time for increasing cycles") {
  const CycleTimes times = Of({{0, kSecond},
                               {300'000'000, kSecond + 100'000'000},
                               {600'500'000, kSecond + 200'000'000},
                               {901'000'000, kSecond + 300'100'000}});
  int64_t previous = 0;
  for (uint64_t cycles = 0; cycles < 1'200'000'000; cycles += 999'983) {
    const int64_t now = times.ToNs(cycles);
    REQUIRE(now >= previous);
    previous = now;
  }
}

TEST_CASE("cycle times: pairs that are near each other do not make a crooked line") {
  // The second was read 50 ns late; 200 ns apart that would be a quarter.
  const CycleTimes times = Of({{0, kSecond}, {200, kSecond + 250}, {1'000'000'000, 2 * kSecond}});
  CHECK(times.ToNs(500'000'000) == kSecond + kSecond / 2);
  CHECK(times.ToNs(2'000'000'000) == 3 * kSecond);
  const CycleTimes at_the_end = Of({{0, kSecond}, {1'000'000'000, 2 * kSecond}, {1'000'000'200, 2 * kSecond + 250}});
  CHECK(at_the_end.ToNs(500'000'000) / 100 == (kSecond + kSecond / 2) / 100);
  CHECK(std::abs(at_the_end.ToNs(3'000'000'000) - 4 * kSecond) < 300);
}

TEST_CASE("cycle times: of many pairs enough are kept to follow a rate that drifts") {
  CycleTimes times;
  const auto ns_at = [](int64_t cycles) { return kSecond + cycles + cycles / 1000 * (cycles / 1000) / 1'000'000; };
  for (int64_t i = 0; i < 1000; ++i) times.Add({static_cast<uint64_t>(i * 10'000'000), ns_at(i * 10'000'000)});
  times.Finish();
  for (int64_t cycles = 0; cycles < 9'900'000'000; cycles += 33'333'333) {
    REQUIRE(std::abs(times.ToNs(static_cast<uint64_t>(cycles)) - ns_at(cycles)) < 20'000);
  }
}

TEST_CASE("cycle times: pairs that contradict the others are left out") {
  const CycleTimes times = Of({{0, kSecond},
                               {1'000'000'000, kSecond / 2},    // back in time
                               {1'500'000'000, INT64_MAX / 5},  // more than 1000 ns a cycle
                               {2'000'000'000, kSecond + 1},    // faster than any processor
                               {2'000'000'000, 3 * kSecond}});
  REQUIRE(times.known());
  CHECK(times.ToNs(1'000'000'000) == 2 * kSecond);
}

TEST_CASE("cycle times: hostile pairs give times of a clock") {
  const ClockPair hostile[] = {{0, INT64_MIN},
                               {UINT64_MAX, INT64_MAX},
                               {UINT64_MAX, 1},
                               {UINT64_MAX / 2, -1},
                               {1, 1},
                               {UINT64_MAX - 1, INT64_MAX / 4},
                               {1'000'000, INT64_MAX},
                               {2, 3},
                               {UINT64_MAX / 2, INT64_MAX / 8}};
  for (const ClockPair& a : hostile) {
    for (const ClockPair& b : hostile) {
      for (const ClockPair& c : hostile) {
        const CycleTimes times = Of({a, b, c});
        if (!times.known()) continue;
        for (const uint64_t cycles : {uint64_t{0}, uint64_t{1}, UINT64_MAX / 2, UINT64_MAX / 2 + 1, UINT64_MAX}) {
          const int64_t ns = times.ToNs(cycles);
          REQUIRE(ns >= 0);
          REQUIRE(ns <= INT64_MAX / 2);
        }
      }
    }
  }
}

}  // namespace
}  // namespace geckoprof
