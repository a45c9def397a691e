#include "geckoprof/reader/marker_type_union.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

MarkerTypeRow Type(std::string name, std::vector<MarkerTypeField> fields) {
  MarkerTypeRow type;
  type.name = std::move(name);
  type.display = {"marker-table"};
  type.fields = std::move(fields);
  return type;
}

// "key:format" of each field.
std::vector<std::string> FieldsOf(const MarkerTypeRow& type) {
  std::vector<std::string> fields;
  for (const MarkerTypeField& field : type.fields) fields.push_back(field.key + ":" + field.format);
  return fields;
}

TEST_CASE("types of one name: each has the fields of all, in order") {
  std::vector<MarkerTypeRow> types = {Type("A", {{"x", "X", "integer"}}), Type("B", {{"z", "", "bytes"}}),
                                      Type("A", {{"y", "Y", "url"}, {"x", "other", "integer"}})};
  UniteMarkerTypes(types);
  CHECK(FieldsOf(types[0]) == std::vector<std::string>{"x:integer", "y:url"});
  CHECK(types[0].fields[0].label == "X");
  CHECK(FieldsOf(types[1]) == std::vector<std::string>{"z:bytes"});
  CHECK(FieldsOf(types[2]) == FieldsOf(types[0]));
}

TEST_CASE("types of one name: a key of two formats shows any value, in all of them") {
  std::vector<MarkerTypeRow> types = {Type("A", {{"x", "", "unique-string"}}), Type("A", {{"x", "", "integer"}}),
                                      Type("A", {{"x", "", "unique-string"}})};
  UniteMarkerTypes(types);
  for (const MarkerTypeRow& type : types) CHECK(FieldsOf(type) == std::vector<std::string>{"x:string"});
}

TEST_CASE("types of one name: a key of two formats is in no graph") {
  std::vector<MarkerTypeRow> types = {Type("A", {{"x", "", "integer"}, {"y", "", "bytes"}}),
                                      Type("A", {{"x", "", "list"}})};
  types[0].graphs = {{"x", "bar", "red"}, {"y", "line", ""}};
  UniteMarkerTypes(types);
  REQUIRE(types[0].graphs.size() == 1);
  CHECK(types[0].graphs[0].key == "y");
}

TEST_CASE("types of one name: everything but fields is the first's") {
  std::vector<MarkerTypeRow> types = {Type("A", {}), Type("A", {{"x", "", "integer"}})};
  types[0].chart_label = "first";
  types[1].chart_label = "second";
  types[1].graphs = {{"x", "bar", "red"}};
  UniteMarkerTypes(types);
  CHECK((types[0].chart_label == "first" && types[0].graphs.empty() && types[0].fields.size() == 1));
  CHECK((types[1].chart_label == "second" && types[1].graphs.size() == 1));
}

TEST_CASE("types of one name: those without a schema stay as they are") {
  std::vector<MarkerTypeRow> types = {Type("A", {}), Type("A", {{"x", "", "integer"}})};
  types[0].has_schema = false;
  UniteMarkerTypes(types);
  CHECK(types[0].fields.empty());
  CHECK(types[1].fields.size() == 1);
}

TEST_CASE("types of one name: of several processes") {
  std::vector<MarkerTypeRow> first = {Type("A", {{"x", "", "integer"}})}, second = {Type("A", {{"y", "", "url"}})};
  MarkerTypeUnion united;
  for (const auto* list : {&first, &second}) united.Add(*list);
  for (auto* list : {&first, &second}) united.ApplyTo(*list);
  CHECK(FieldsOf(first[0]) == std::vector<std::string>{"x:integer", "y:url"});
  CHECK(FieldsOf(second[0]) == FieldsOf(first[0]));
}

}  // namespace
}  // namespace geckoprof
