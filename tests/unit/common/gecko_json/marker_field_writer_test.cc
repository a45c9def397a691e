#include "geckoprof/gecko_json/marker_field_writer.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "geckoprof/entries/entry_format.h"

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

// The bytes of a value with tags.
class Value {
 public:
  explicit Value(MarkerValueTag tag) { And(tag); }
  Value& And(MarkerValueTag tag) { return Byte(static_cast<char>(tag)); }
  Value& Byte(char byte) {
    bytes_.push_back(byte);
    return *this;
  }
  Value& Text(std::string_view text) {
    Byte(static_cast<char>(text.size()));
    bytes_.append(text);
    return *this;
  }
  std::string_view bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

MarkerField Tagged() {
  MarkerField field;
  field.kind = MarkerFieldKind::kTagged;
  return field;
}

TEST_CASE("marker fields: a value of any shape becomes JSON") {
  using Tag = MarkerValueTag;
  Value value(Tag::kObject);
  value.Byte(3).Text("list").And(Tag::kArray).Byte(7).And(Tag::kNull).And(Tag::kFalse).And(Tag::kTrue);
  value.And(Tag::kInt).Byte(23).And(Tag::kUint).Byte(9).And(Tag::kTime);
  for (int i = 0; i < 8; ++i) value.Byte(1);
  value.And(Tag::kString).Text("a\"b\xff").Text("empty").And(Tag::kArray).Byte(0);
  value.Text("nested").And(Tag::kObject).Byte(1).Text("").And(Tag::kObject).Byte(0);
  CHECK(Written(Tagged(), value.bytes()) ==
        "{\"list\":[null,false,true,-12,9,null,\"a\\\"b\xef\xbf\xbd\"],\"empty\":[],\"nested\":{\"\":{}}}");
  CHECK(Written(Integer(MarkerFieldKind::kNull, 0)) == "null");
}

TEST_CASE("marker fields: a list or an object where the format shows one value is a text") {
  const auto written = [&](const char* format, std::string_view text, const MarkerField& field = Tagged()) {
    MarkerTypeRow type;
    type.fields.push_back({"x", "", format, false});
    std::string json;
    JsonWriter writer(StringSink(&json));
    WriteMarkerFieldValue(field, text, type, "x", 0, writer);
    REQUIRE(writer.Finish());
    return json;
  };
  Value list(MarkerValueTag::kArray);
  list.Byte(2).And(MarkerValueTag::kString).Text("a").And(MarkerValueTag::kInt).Byte(2);
  const std::string_view bytes = list.bytes();
  CHECK(written("string", bytes) == "\"[\\\"a\\\",1]\"");
  CHECK(written("integer", Value(MarkerValueTag::kObject).Byte(0).bytes()) == "\"{}\"");
  CHECK(written("string", {}, Integer(MarkerFieldKind::kInteger, 5)) == "5");
  CHECK(written("string", {}, Integer(MarkerFieldKind::kNull, 0)) == "null");
  CHECK(written("list", bytes) == "[\"a\",1]");
  CHECK(written("table\x1e"
                "A\x1fstring",
                bytes) == "[\"a\",1]");
  CHECK(written("", bytes) == "[\"a\",1]");  // in no schema
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
