#include "geckoprof/json/json_writer.h"

#include <rapidjson/document.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

std::string TimeText(int64_t time_ns) {
  std::string text;
  JsonWriter writer(StringSink(&text));
  writer.TimeMs(time_ns);
  REQUIRE(writer.Finish());
  return text;
}

std::string StringText(std::string_view value) {
  std::string text;
  JsonWriter writer(StringSink(&text));
  writer.String(value);
  REQUIRE(writer.Finish());
  return text;
}

TEST_CASE("times are exact ms with up to six decimals") {
  CHECK(TimeText(0) == "0");
  CHECK(TimeText(670'258'982) == "670.258982");
  CHECK(TimeText(10'156'289) == "10.156289");
  CHECK(TimeText(1'000'000) == "1");
  CHECK(TimeText(1'500'000) == "1.5");
  CHECK(TimeText(1) == "0.000001");
  CHECK(TimeText(10) == "0.00001");
  CHECK(TimeText(-1) == "-0.000001");
  CHECK(TimeText(-2'500'000) == "-2.5");
  CHECK(TimeText(5'000'000'000'000'000) == "5000000000");
  CHECK(TimeText(std::numeric_limits<int64_t>::max()) == "9223372036854.775807");
  CHECK(TimeText(std::numeric_limits<int64_t>::min()) == "-9223372036854.775808");
}

TEST_CASE("integers of every length are written to the last digit") {
  std::string text;
  JsonWriter writer(StringSink(&text));
  std::string expected;
  const auto check = [&](uint64_t number) {
    const auto as_signed = static_cast<int64_t>(number);
    writer.Uint(number);
    writer.Int(as_signed);
    expected += "," + std::to_string(number) + "," + std::to_string(as_signed);
  };
  writer.StartArray();
  uint64_t power = 1;
  for (int digits = 1; digits <= 20; ++digits, power *= 10) {
    for (const uint64_t number : {power - 1, power, power + 1, 9 * power}) check(number);
  }
  for (int bits = 0; bits < 64; ++bits) check(0x9e37'79b9'7f4a'7c15 >> bits);
  for (uint64_t number = 0; number < 100'000; ++number) check(number * number);
  writer.EndArray();
  REQUIRE(writer.Finish());
  expected.front() = '[';
  CHECK((text == expected + "]"));
}

TEST_CASE("each of a million decimals is written, without zeros at its end") {
  std::string text;
  JsonWriter writer(StringSink(&text));
  writer.StartArray();
  std::string expected = "[7";
  writer.TimeMs(7'000'000);
  for (int ns = 1; ns < 1'000'000; ++ns) {
    writer.TimeMs(7'000'000 + ns);
    const std::string decimals = std::to_string(1'000'000 + ns).substr(1);
    expected += ",7." + decimals.substr(0, decimals.find_last_not_of('0') + 1);
  }
  writer.EndArray();
  REQUIRE(writer.Finish());
  CHECK((text == expected + "]"));
}

TEST_CASE("a row of numbers is what a call for each writes, wherever the chunk ends") {
  std::string text;
  std::string by_calls;
  JsonWriter writer(StringSink(&text));
  JsonWriter calls(StringSink(&by_calls));
  std::vector<JsonNumber> row;
  writer.StartArray();
  calls.StartArray();
  for (int64_t i = 0; i < 200; ++i) {
    writer.NumberRow(row);
    writer.StartArray();
    writer.Numbers(std::span(row).first(row.size() / 2));
    writer.Numbers({});
    writer.Numbers(std::span(row).subspan(row.size() / 2));
    writer.EndArray();
    for (int copy = 0; copy < 2; ++copy) {
      calls.StartArray();
      for (const JsonNumber& number : row) {
        switch (number.kind()) {
          case JsonNumber::Kind::kNull:
            calls.Null();
            break;
          case JsonNumber::Kind::kInt:
            calls.Int(number.value());
            break;
          case JsonNumber::Kind::kTimeMs:
            calls.TimeMs(number.value());
            break;
          case JsonNumber::Kind::kDouble:
            calls.Double(number.number());
            break;
        }
      }
      calls.EndArray();
    }
    row.push_back(JsonNumber::Int(i % 3 == 0 ? std::numeric_limits<int64_t>::min() + i : i));
    row.push_back(JsonNumber::TimeMs(i % 2 == 0 ? -i * i * i * 7'919 : std::numeric_limits<int64_t>::min() + i));
    if (i % 5 == 0) row.push_back(JsonNumber::Null());
    if (i % 7 == 0) row.push_back(JsonNumber::Double(i % 2 == 0 ? -0.1 / static_cast<double>(i + 1) : 1e300));
  }
  writer.EndArray();
  calls.EndArray();
  REQUIRE(writer.Finish());
  REQUIRE(calls.Finish());
  CHECK(text.size() > 4 * JsonWriter::kChunkBytes);
  CHECK((text == by_calls));
}

TEST_CASE("no white space outside strings") {
  std::string text;
  JsonWriter writer(StringSink(&text));
  writer.StartObject();
  writer.StringProperty("a b", "c d");
  writer.StartArrayProperty("n");
  writer.Int(-1);
  writer.Uint(UINT64_MAX);
  writer.Double(0.5);
  writer.Double(10078);
  writer.Bool(true);
  writer.Null();
  writer.Splice(R"({"x":1})");
  writer.EndArray();
  writer.EndObject();
  REQUIRE(writer.Finish());
  CHECK(text == R"({"a b":"c d","n":[-1,18446744073709551615,0.5,10078,true,null,{"x":1}]})");
  CHECK(writer.bytes_written() == text.size());
}

TEST_CASE("numbers that JSON does not have are null") {
  std::string text;
  JsonWriter writer(StringSink(&text));
  writer.StartArray();
  writer.Double(std::numeric_limits<double>::quiet_NaN());
  writer.Double(std::numeric_limits<double>::infinity());
  writer.Double(-std::numeric_limits<double>::infinity());
  writer.Double(1e300);
  writer.EndArray();
  REQUIRE(writer.Finish());
  CHECK(text == "[null,null,null,1e300]");
}

TEST_CASE("strings are escaped, and repaired where they are not UTF-8") {
  CHECK(StringText("plain") == "\"plain\"");
  CHECK(StringText("a\"\\\n\x01") == R"("a\"\\\n\u0001")");
  CHECK(StringText(std::string_view("a\0b", 3)) == R"("a\u0000b")");
  CHECK(StringText("\xe2\x82\xac") == "\"\xe2\x82\xac\"");
  CHECK(StringText("\b\f\n\r\t\x1b[1m/") == R"("\b\f\n\r\t\u001b[1m/")");
  CHECK(StringText("x\xff") == "\"x\xef\xbf\xbd\"");
}

TEST_CASE("characters that steer a terminal or turn the text are escaped") {
  CHECK(StringText("a\x7f"
                   "b") == R"("a\u007fb")");
  CHECK(StringText("\U000e0020\U0001f600\ufffd") == "\"\\udb40\\udc20\U0001f600\ufffd\"");
  CHECK(StringText("\u0080\u009b\u009f\u00a0") == "\"\\u0080\\u009b\\u009f\u00a0\"");
  CHECK(StringText("\u061c\u200b\u200e\u2010") == "\"\\u061c\\u200b\\u200e\u2010\"");
  CHECK(StringText("\u2027\u2028\u202e\u2066\u2069\ufeff") == "\"\u2027\\u2028\\u202e\\u2066\\u2069\\ufeff\"");
  CHECK(StringText("\U0001f600\U0010ffff") == "\"\U0001f600\U0010ffff\"");
}

TEST_CASE("output larger than a chunk arrives whole") {
  std::string text;
  JsonWriter writer(StringSink(&text));
  const std::string long_text(3 * JsonWriter::kChunkBytes + 17, 'x');
  writer.StartArray();
  writer.String(long_text);
  for (int i = 0; i < 50'000; ++i) writer.TimeMs(int64_t{i} * 1'000'001);
  writer.EndArray();
  REQUIRE(writer.Finish());
  rapidjson::Document document;
  REQUIRE_FALSE(document.Parse(text.c_str()).HasParseError());
  REQUIRE(document.Size() == 50'001);
  CHECK(document[0].GetString() == long_text);
  CHECK(document[50'000].GetDouble() == Approx(49'999.049999));
}

TEST_CASE("unbalanced calls fail and do not crash") {
  std::string text;
  JsonWriter writer(StringSink(&text));
  SECTION("end without start") { writer.EndArray(); }
  SECTION("wrong end") {
    writer.StartObject();
    writer.EndArray();
  }
  SECTION("left open") { writer.StartArray(); }
  writer.EndObject();
  writer.Int(1);
  CHECK_FALSE(writer.Finish());
  CHECK_FALSE(writer.failure().empty());
}

TEST_CASE("a sink that fails is asked once, and its failure is kept") {
  struct Counter {
    int calls = 0;
  } counter;
  const JsonSink sink{[](void* context, const char*, size_t) {
                        ++static_cast<Counter*>(context)->calls;
                        return false;
                      },
                      &counter};
  JsonWriter writer(sink);
  writer.StartArray();
  for (int i = 0; i < 100'000; ++i) writer.Int(i);
  writer.EndArray();
  CHECK_FALSE(writer.Finish());
  CHECK(counter.calls == 1);
  CHECK(writer.failure() == "the output cannot be written");
}

TEST_CASE("the first failure is the one that is kept") {
  JsonWriter writer({[](void*, const char*, size_t) { return false; }, nullptr});
  writer.StartObject();
  writer.EndArray();
  CHECK(writer.failure() == "unbalanced JSON levels");
  CHECK_FALSE(writer.Finish());
  CHECK(writer.failure() == "unbalanced JSON levels");
}

}  // namespace
}  // namespace geckoprof
