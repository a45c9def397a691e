#include "geckoprof/gecko_json/marker_field_writer.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>

namespace geckoprof {
namespace {

std::string Written(const MarkerField& field, std::string_view text = {}, int64_t zero_ns = 0) {
  std::string json;
  JsonWriter writer(StringSink(&json));
  WriteMarkerFieldValue(field, text, {}, "x", zero_ns, writer);
  REQUIRE(writer.Finish());
  return json;
}

MarkerField Integer(MarkerFieldKind kind, int64_t value) {
  MarkerField field;
  field.kind = kind;
  field.integer = value;
  return field;
}
MarkerField Number(double value) {
  MarkerField field;
  field.kind = MarkerFieldKind::kNumber;
  field.number = value;
  return field;
}

TEST_CASE("marker fields: each kind as JSON") {
  MarkerField text;
  CHECK(Written(text, "a\"\xff") == "\"a\\\"\xef\xbf\xbd\"");
  CHECK(Written(text, "") == "\"\"");
  CHECK(Written(Number(0.25)) == "0.25");
  CHECK(Written(Number(3)) == "3");
  CHECK(Written(Number(std::numeric_limits<double>::quiet_NaN())) == "null");
  CHECK(Written(Number(-std::numeric_limits<double>::infinity())) == "null");
  CHECK(Written(Integer(MarkerFieldKind::kInteger, INT64_MIN)) == "-9223372036854775808");
  CHECK(Written(Integer(MarkerFieldKind::kUnsigned, -1)) == "18446744073709551615");
  CHECK(Written(Integer(MarkerFieldKind::kBool, 1)) == "true");
  CHECK(Written(Integer(MarkerFieldKind::kBool, 0)) == "false");
  CHECK(Written(Integer(MarkerFieldKind::kTime, 5'500'000), {}, 3'000'000) == "2.5");
  CHECK(Written(Integer(MarkerFieldKind::kTime, 0), {}, 3'000'000) == "-3");
  CHECK(Written(Integer(MarkerFieldKind::kNs, 1'500'000), {}, 3'000'000) == "1.5");
  CHECK(Written(Integer(MarkerFieldKind::kNs, -1)) == "-0.000001");
}

TEST_CASE("marker fields: what is no text goes into the string table as it reads") {
  std::string room;
  MarkerField text;
  CHECK(TableText(text, "a\"b", 0, &room) == "a\"b");
  CHECK(TableText(Integer(MarkerFieldKind::kInteger, 404), {}, 0, &room) == "404");
  CHECK(TableText(Integer(MarkerFieldKind::kBool, 1), {}, 0, &room) == "true");
  CHECK(TableText(Number(0.5), {}, 0, &room) == "0.5");
}

TEST_CASE("marker fields: durations of any size are numbers") {
  CHECK(Written(Integer(MarkerFieldKind::kNs, INT64_MAX)) == "9223372036854.775807");
  CHECK(Written(Integer(MarkerFieldKind::kNs, INT64_MIN)) == "-9223372036854.775808");
}

TEST_CASE("marker fields: a value of any shape is taken over as it is") {
  MarkerField value;
  value.kind = MarkerFieldKind::kJson;
  CHECK(Written(value, "[1,{\"a\":null}]") == "[1,{\"a\":null}]");
  CHECK(Written(value, "") == "null");
}

TEST_CASE("marker fields: a list or an object where the format shows one value is a text") {
  MarkerField value;
  value.kind = MarkerFieldKind::kJson;
  const auto written = [&](const char* format, std::string_view text) {
    MarkerTypeRow type;
    type.fields.push_back({"x", "", format, false});
    std::string json;
    JsonWriter writer(StringSink(&json));
    WriteMarkerFieldValue(value, text, type, "x", 0, writer);
    REQUIRE(writer.Finish());
    return json;
  };
  CHECK(written("string", "[\"a\",1]") == "\"[\\\"a\\\",1]\"");
  CHECK(written("integer", "{}") == "\"{}\"");
  CHECK(written("string", "5") == "5");
  CHECK(written("string", "") == "null");
  CHECK(written("list", "[1]") == "[1]");
  CHECK(written("table\x1e"
                "A\x1fstring",
                "[[1]]") == "[[1]]");
  CHECK(written("", "[1]") == "[1]");  // in no schema
}

TEST_CASE("marker fields: which texts stand in the string table") {
  MarkerTypeRow type;
  for (const char* format : {"unique-string", "flow-id", "terminating-flow-id", "string", "url", "list"}) {
    type.fields.push_back({format, "", format, false});
  }
  CHECK(IsInStringTable(type, "unique-string"));
  CHECK(IsInStringTable(type, "flow-id"));
  CHECK(IsInStringTable(type, "terminating-flow-id"));
  CHECK_FALSE(IsInStringTable(type, "string"));
  CHECK_FALSE(IsInStringTable(type, "url"));
  CHECK_FALSE(IsInStringTable(type, "list"));
  CHECK_FALSE(IsInStringTable(type, "undeclared"));
  CHECK_FALSE(IsInStringTable({}, ""));
}

}  // namespace
}  // namespace geckoprof
