#include "tools/json/json_document.h"

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

TEST_CASE("paths") {
  const JsonPath root;
  CHECK(root.ToString() == "$");
  const JsonPath threads = root / "threads";
  const JsonPath thread = threads / size_t{3};
  CHECK((thread / "eventDelay_2").ToString() == "$.threads[3].eventDelay_2");
  CHECK((thread / "eTLD+1").ToString() == "$.threads[3][\"eTLD+1\"]");
  CHECK((root / "21604").ToString() == "$[\"21604\"]");
  CHECK((root / "").ToString() == "$[\"\"]");
}

std::string ErrorOf(std::string text, JsonDocument::Utf8 utf8 = JsonDocument::Utf8::kStrict) {
  const auto document = JsonDocument::Parse(std::move(text), utf8);
  return document.ok() ? "" : std::string(document.status().message());
}

TEST_CASE("values answer every question") {
  auto document = JsonDocument::Parse(R"({"a":[1,2.5,"x",null,true],"o":{"k":3.0},"big":18446744073709551615})",
                                      JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  const JsonDocument moved = *std::move(document);  // views hold: the text does not move
  const JsonView root = moved.root();
  CHECK(root.size() == 3);
  CHECK(root["a"].size() == 5);
  CHECK(root["a"].At(0).AsInteger() == 1);
  CHECK(root["a"].At(1).AsNumber() == 2.5);
  CHECK_FALSE(root["a"].At(1).AsInteger().has_value());
  CHECK(root["a"].At(2).AsString() == "x");
  CHECK(root["a"].At(3).IsNull());
  CHECK(root["a"].At(4).IsTrue());
  CHECK_FALSE(root["a"].At(5).Exists());
  CHECK(root["o"]["k"].AsInteger() == 3);
  CHECK_FALSE(root["big"].AsInteger().has_value());
  CHECK_FALSE(root["none"]["deeper"].At(3)["more"].Exists());
  CHECK(root["none"].TypeName() == "missing");
  CHECK(root["a"].TypeName() == "array");
  std::string keys;
  root.ForEachMember([&keys](std::string_view key, JsonView) { keys += std::string(key) + ";"; });
  CHECK(keys == "a;o;big;");
}

TEST_CASE("errors name the byte") {
  CHECK(ErrorOf("{\"a\":1,}") == "not valid JSON at byte 7: Missing a name for object member.");
  CHECK(ErrorOf("") == "not valid JSON at byte 0: The document is empty.");
  CHECK(ErrorOf("[1] x") == "not valid JSON at byte 4: The document root must not be followed by other values.");
  CHECK(ErrorOf("[1e999]") == "not valid JSON at byte 1: Number too big to be stored in double.");
  CHECK(ErrorOf(std::string("[1]\0[2]", 7)) == "not valid JSON at byte 3: zero byte");
  CHECK(ErrorOf("[\"\xff\"]") != "");
  CHECK(ErrorOf("[\"\xff\"]", JsonDocument::Utf8::kAny) == "");
}

TEST_CASE("nesting is limited, so a hostile file cannot exhaust the stack") {
  CHECK(ErrorOf(std::string(100, '[') + std::string(100, ']')) == "");
  CHECK(ErrorOf(std::string(10'000'000, '[')) == "not valid JSON at byte 101: nested deeper than 100");
}

TEST_CASE("members of an object are limited, since finding one walks them") {
  std::string text = "{";
  for (int i = 0; i < 4096; ++i) text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":0";
  CHECK(ErrorOf(text + "}") == "");
  CHECK(ErrorOf(text + ",\"z\":0}").find("an object with more than 4096 members") != std::string::npos);
}

TEST_CASE("numbers of any length and size") {
  const std::string digits(5'000'000, '1');
  const auto number = [](const std::string& text) {
    const auto document = JsonDocument::Parse("[" + text + "]", JsonDocument::Utf8::kStrict);
    return document.ok() ? document->root().At(0).AsNumber() : std::nullopt;
  };
  CHECK(number("0." + digits + "e-400") == 0.0);  // these make RapidJSON's own exact conversion read outside its tables
  CHECK(number("0." + digits) == 1.0 / 9);
  CHECK(number(digits + "e-4999999") == std::nullopt);  // RapidJSON stops at more than 308 digits before the point
  CHECK(number("0." + std::string(5'000, '0') + "1e5001") == std::optional<double>(1.0));
  CHECK(number("1e-400") == 0.0);
  CHECK(number("5e-324") == 5e-324);
  CHECK(number("-1.7976931348623157e308") == -1.7976931348623157e308);
  CHECK(number("1e309") == std::nullopt);
  CHECK(number("-1e309") == std::nullopt);
  CHECK(number("18446744073709551615") == 18446744073709551615.0);
  CHECK(number("-0") == 0.0);
  CHECK(number("0.1") == 0.1);
  CHECK(number("123456789.012345678") == 123456789.012345678);
  for (const char* text : {"01", "1.", ".5", "1e", "+1", "0x1", "NaN", "Infinity", "-", "--1"})
    CHECK(number(text) == std::nullopt);
  const auto document = JsonDocument::Parse("[9223372036854775807,9223372036854775808,-9223372036854775808,3.0]",
                                            JsonDocument::Utf8::kStrict);
  CHECK(document->root().At(0).AsInteger() == INT64_MAX);
  CHECK(document->root().At(1).AsInteger() == std::nullopt);
  CHECK(document->root().At(2).AsInteger() == INT64_MIN);
  CHECK(document->root().At(3).AsInteger() == 3);
}

}  // namespace
}  // namespace geckoprof
