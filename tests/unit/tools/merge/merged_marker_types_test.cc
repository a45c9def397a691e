#include "tools/merge/merged_marker_types.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

JsonDocument Parsed(const std::string& text) { return *JsonDocument::Parse(text, JsonDocument::Utf8::kStrict); }

std::string Written(const MergedMarkerTypes& types) {
  std::string text;
  JsonWriter writer(StringSink(&text));
  writer.StartArray();
  types.Write(writer);
  writer.EndArray();
  REQUIRE(writer.Finish());
  return text;
}

TEST_CASE("a schema with another content gets another name") {
  const std::string text = R"({"name":"Text","display":[],"fields":[{"key":"name","format":"string"}]})",
                    other = R"({"name":"Text","display":[],"fields":[{"key":"name","format":"unique-string"}]})",
                    taken = R"-({"name":"Text (2)","display":[],"fields":[]})-";
  const JsonDocument a = Parsed("[" + taken + "," + text + "]"), b = Parsed("[" + other + "]"),
                     c = Parsed("[" + text + "," + other + "]");
  MergedMarkerTypes types;
  const auto of_a = types.Add(a.root()), of_b = types.Add(b.root()), of_c = types.Add(c.root());
  CHECK(of_a.at("Text").name == "Text");
  CHECK(of_b.at("Text").name == "Text (3)");
  CHECK(of_b.at("Text").declared.fields[0].format == "unique-string");
  CHECK(of_c.at("Text").name == "Text");  // the first one counts
  CHECK(Written(types) ==
        "[" + taken + "," + text +
            R"-(,{"name":"Text (3)","display":[],"fields":[{"key":"name","format":"unique-string"}]}])-");
}

TEST_CASE("a type without a schema does not get one that takes its numbers for strings") {
  const JsonDocument a = Parsed(R"([{"name":"Cat","fields":[{"key":"id","format":"unique-string"}]},)"
                                R"({"name":"Text","fields":[{"key":"id","format":"integer"}]},{"fields":[]},5])");
  MergedMarkerTypes types;
  CHECK(types.Add(a.root()).size() == 2);
  CHECK(types.NameOfUndeclared("Cat") == "Cat (2)");
  CHECK(types.NameOfUndeclared("Text") == "Text");
  CHECK(types.NameOfUndeclared("Other") == "Other");
}

}  // namespace
}  // namespace geckoprof
