#include "tools/report/html/page_marker_writer.h"

#include <catch2/catch.hpp>

#include "page_model.h"

namespace geckoprof {
namespace {

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
