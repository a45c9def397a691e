#include "tools/profile/marker_data_loader.h"

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

TEST_CASE("values by the schema's formats") {
  const auto document = JsonDocument::Parse(
      R"({"schemas":[{"name":"T","display":["marker-chart"],"tableLabel":"L",
          "data":[{"key":"u","format":"unique-string","label":"U"},
                  {"key":"list","format":{"type":"table","columns":[{"label":"N"}]},"label":"L"},{"label":"D","value":"about it"}]},
          {"name":"T","display":[],"fields":[]},{"display":[]}],
          "strings":["zero","one"],
          "good":{"type":"T","u":1,"n":1.5,"b":true,"t":"text","list":[[1,"x"],[]],"none":null,"cause":{"stack":null}},
          "far":{"type":"T","u":2},"cause":{"type":"T","cause":{"stack":7}}})",
      JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  ProfileModel model;
  ModelBuilder builder(&model, ProfileDetail::kFull);
  MarkerDataLoader loader(&builder);
  loader.ReadSchemas(document->root()["schemas"]);
  builder.StartStrings(document->root()["strings"]);
  REQUIRE(model.marker_schemas.size() == 1);
  CHECK(model.marker_schemas[0].description == "about it");
  REQUIRE(model.marker_schemas[0].fields.size() == 2);
  CHECK(model.marker_schemas[0].fields[1].format_name() == "table");
  CHECK(model.marker_schemas[0].fields[1].format == "table\x1eN\x1f");

  const JsonPath path;
  const auto row = loader.Read(document->root()["good"], path);
  REQUIRE(row.ok());
  CHECK(model.marker_data[static_cast<size_t>(*row)].field_count == 5);
  CHECK(model.strings[static_cast<size_t>(model.marker_fields[0].text)] == "one");
  CHECK(model.marker_fields[1].number == 1.5);
  CHECK(model.marker_fields[2].kind == ProfileMarkerField::Kind::kBool);
  CHECK(model.strings[static_cast<size_t>(model.marker_fields[3].text)] == "text");
  CHECK(model.marker_fields[4].kind == ProfileMarkerField::Kind::kJson);
  CHECK(model.strings[static_cast<size_t>(model.marker_fields[4].text)] == R"([[1,"x"],[]])");
  CHECK_FALSE(loader.Read(document->root()["far"], path).ok());
  CHECK_FALSE(loader.Read(document->root()["cause"], path).ok());
  CHECK(loader.Read(document->root()["none"], path).value() == kNoRow);
}

}  // namespace
}  // namespace geckoprof
