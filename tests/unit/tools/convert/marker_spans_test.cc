#include "tools/convert/marker_spans.h"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/unit/tools/convert/small_model.h"

namespace geckoprof {
namespace {

using Phase = ProfileMarkerPhase;

std::vector<MarkerSpan> Spans(std::vector<ProfileMarker> markers) {
  ProfileModel model = SmallModel();
  model.threads[0].markers = std::move(markers);
  model.threads[0].samples.clear();
  return SpansOf(ExportedProfile(model, false), model.threads[0]);
}

TEST_CASE("starts and ends are matched by name, the innermost first") {
  const auto spans = Spans({{1, Phase::kIntervalStart, 1, 0},
                            {1, Phase::kIntervalStart, 2, 0},
                            {2, Phase::kIntervalEnd, 0, 3},
                            {1, Phase::kIntervalEnd, 0, 4},
                            {1, Phase::kIntervalEnd, 0, 9}});
  REQUIRE(spans.size() == 3);
  CHECK(spans[0].start_ns == 1'000'000);
  CHECK(spans[0].end_ns == 9'000'000);
  CHECK(spans[1].end_ns == 4'000'000);
  CHECK(spans[2].is_instant);  // an end without a start
  CHECK(spans[0].lane == 0);
  CHECK(spans[1].lane == 0);
}

TEST_CASE("what was never ended lasts as long as the thread") {
  const auto spans = Spans({{1, Phase::kIntervalStart, 1, 0}, {2, Phase::kInstant, 6, 0}});
  CHECK(spans[0].end_ns == 6'000'000);
}

TEST_CASE("what crosses the end of another is in another lane") {
  const auto spans = Spans({{1, Phase::kInterval, 0, 4}, {2, Phase::kInterval, 2, 6}, {3, Phase::kInterval, 4, 8}});
  CHECK(spans[0].lane == 0);
  CHECK(spans[1].lane == 1);
  CHECK(spans[2].lane == 0);
}

TEST_CASE("an end before its start, and more crossings than lanes") {
  CHECK(Spans({{1, Phase::kInterval, 5, 1}})[0].end_ns == 5'000'000);
  std::vector<ProfileMarker> markers;
  for (int i = 0; i < 5000; ++i) markers.push_back({1, Phase::kInterval, double(i), 10000.0 + i});
  size_t instants = 0;
  for (const MarkerSpan& span : Spans(markers)) {
    CHECK(span.lane < MarkerSpan::kMaxLanes);
    instants += span.is_instant ? 1 : 0;
  }
  CHECK(instants == markers.size() - MarkerSpan::kMaxLanes);
}

}  // namespace
}  // namespace geckoprof
