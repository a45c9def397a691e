#include "tools/profile/json_document.h"

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

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

}  // namespace
}  // namespace geckoprof
