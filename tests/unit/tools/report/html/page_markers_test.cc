#include "tools/report/html/page_markers.h"

#include <catch2/catch.hpp>

#include "page_model.h"

namespace geckoprof {
namespace {

using Phase = ProfileMarkerPhase;

TEST_CASE("all markers are shown where there is room, in order of their start") {
  ProfileModel model = PageModel();
  model.threads[0].markers = {{1, Phase::kInterval, 5, 9}, {2, Phase::kInstant, 2, 0}};
  const PageMarkers markers(model, 2);
  REQUIRE(markers.threads[0].shown.size() == 2);
  CHECK(markers.threads[0].shown[0].start_ms == 2);
  CHECK(markers.count == 2);
  CHECK(markers.left_out == 0);
  CHECK(markers.threads[0].left_out.empty());
}

TEST_CASE("of too many the rare ones and the longest of the frequent ones are shown, and the others counted") {
  ProfileModel model = PageModel();
  std::vector<ProfileMarker>& rows = model.threads[0].markers;
  for (int i = 0; i < 1000; ++i) {
    const double start_ms = i;
    rows.push_back({1, Phase::kInterval, start_ms, start_ms + (i == 777 ? 0.9 : 0.001)});
    rows.push_back({2, Phase::kInstant, start_ms, 0});
  }
  rows.push_back({3, Phase::kInstant, 4, 0});
  const PageMarkers markers(model, 101);
  CHECK(markers.count == 2001);
  CHECK(markers.left_out == 1900);
  const PageMarkers::Thread& thread = markers.threads[0];
  CHECK(thread.shown.size() == 101);
  CHECK(thread.left_out == std::vector<std::pair<int32_t, size_t>>{{1, 950}, {2, 950}});
  const auto shown = [&](int32_t name, double start_ms) {
    return std::any_of(thread.shown.begin(), thread.shown.end(), [&](const MarkerTime& time) {
      return time.start_ms == start_ms && rows[static_cast<size_t>(time.marker)].name == name;
    });
  };
  CHECK(shown(3, 4));
  CHECK(shown(1, 777));
  CHECK(shown(2, 980));  // points from all over the time
}

TEST_CASE("a name keeps at least one marker, however little room there is") {
  ProfileModel model = PageModel();
  for (int32_t name = 0; name < 4; ++name) {
    model.threads[0].markers.push_back({name, Phase::kInstant, 1, 0});
    model.threads[0].markers.push_back({name, Phase::kInstant, 2, 0});
  }
  CHECK(PageMarkers(model, 1).threads[0].shown.size() == 4);
}

using Phase = ProfileMarkerPhase;

std::string Written(const ProfileModel& model) {
  std::string text;
  JsonWriter writer(StringSink(&text));
  PageStrings strings(model);
  const PageTree tree(model, {0, 0, 1, 0, 0, 0}, 10);
  const PageMarkers markers(model, 10);
  PageMarkerWriter marker_writer(model, tree, &strings, writer);
  writer.StartObject();
  marker_writer.WriteMarkers(model.threads[0], markers.threads[0]);
  marker_writer.WriteSchemas();
  writer.EndObject();
  CHECK(writer.Finish());
  return text;
}

TEST_CASE("markers are columns, with their fields and where they were added") {
  using Kind = ProfileMarkerField::Kind;
  ProfileModel model = PageModel();
  model.marker_fields = {{1, Kind::kText, 2, 0}, {3, Kind::kNumber, kNoRow, 2.5}, {4, Kind::kBool, kNoRow, 1}};
  model.marker_data = {{3, 2, 0, 3}};
  model.threads[0].markers = {{1, Phase::kInterval, 1, 2.5, 1, 0}, {2, Phase::kInstant, 2, 0, 0, kNoRow}};
  model.marker_schemas.emplace_back().name = "rest";
  model.marker_schemas.back().fields = {{"k", "Key", "bytes", true}};
  model.marker_schemas.emplace_back().name = "unused";
  CHECK(Written(model) ==
        R"({"markers":{"t":[1000,1000],"d":[1500,-1],"n":[0,1],"g":[1,0],"y":[2,-1],"s":[2,0],)"
        R"("f":[[0,[1],2,2.5,3,true],0],"left":[]},)"
        R"("schemas":[{"name":"rest","description":"","tooltipLabel":"","tableLabel":"","chartLabel":"",)"
        R"("fields":[{"key":"k","label":"Key","format":"bytes","hidden":true}]}]})");
}

}  // namespace
}  // namespace geckoprof
