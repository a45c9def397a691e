#include "tools/json/json_copy.h"

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

TEST_CASE("a copy is the same text") {
  const std::string text = R"({"a":[1,-2,0.1,1e+300,"x\u0001",true,false,null],"b":{"c":{}},"":9007199254740993})";
  const JsonDocument document = *JsonDocument::Parse(text, JsonDocument::Utf8::kStrict);
  std::string written;
  JsonWriter writer(StringSink(&written));
  CopyJson(document.root(), writer);
  REQUIRE(writer.Finish());
  const JsonDocument again = *JsonDocument::Parse(written, JsonDocument::Utf8::kStrict);
  CHECK(again.root()["a"].At(2).AsNumber() == 0.1);
  CHECK(again.root()["a"].At(3).AsNumber() == 1e300);
  CHECK(again.root()["a"].At(4).AsString() == "x\u0001");
  CHECK(again.root()["a"].At(5).IsTrue());
  CHECK(again.root()["a"].At(7).IsNull());
  CHECK(again.root()["b"]["c"].IsObject());
  CHECK(again.root()[""].AsInteger() == 9007199254740993);
  CHECK(JsonText(document.root()) == written);
  CHECK(JsonText(document.root()["none"]) == "null");
}

}  // namespace
}  // namespace geckoprof
