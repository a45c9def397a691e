#include "tools/report/marker_times.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

using Phase = ProfileMarkerPhase;

TEST_CASE("halves find each other by name, the innermost first") {
  ProfileThread thread;
  thread.markers = {{0, Phase::kIntervalStart, 1, 0}, {0, Phase::kIntervalStart, 2, 0}, {1, Phase::kInstant, 3, 0},
                    {0, Phase::kIntervalEnd, 0, 4},   {0, Phase::kIntervalEnd, 0, 9},   {0, Phase::kIntervalEnd, 0, 10},
                    {1, Phase::kInterval, 8, 7},      {1, Phase::kIntervalStart, 11, 0}};
  const std::vector<MarkerTime> times = MarkerTimesOf(thread);
  REQUIRE(times.size() == 6);
  CHECK(times[0].end_ms == 9);
  CHECK(times[1].end_ms == 4);
  CHECK((times[0].has_duration && times[1].has_duration));
  CHECK((times[2].start_ms == 3 && !times[2].has_duration));
  CHECK((times[3].start_ms == 10 && !times[3].has_duration));  // an end without a start
  CHECK((times[4].start_ms == 8 && times[4].end_ms == 8));     // never backwards
  CHECK((times[5].start_ms == 11 && !times[5].has_duration));  // a start without an end
}

TEST_CASE("percentiles are durations that occurred") {
  DurationFigures figures;
  figures.AddInstant();
  CHECK_FALSE(figures.has_durations());
  for (int i = 100; i > 0; --i) figures.Add(i);
  CHECK(figures.count() == 101);
  CHECK(figures.total_ms() == 5050);
  CHECK(figures.Percentile(50) == 50);
  CHECK(figures.Percentile(99) == 99);
  CHECK(figures.Percentile(100) == 100);
  figures.Add(0.5);
  CHECK(figures.Percentile(0.1) == 0.5);
}

}  // namespace
}  // namespace geckoprof
