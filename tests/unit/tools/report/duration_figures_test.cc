#include "tools/report/duration_figures.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

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
