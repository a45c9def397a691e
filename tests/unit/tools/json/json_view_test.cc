#include "tools/json/json_view.h"

#include <catch2/catch.hpp>
#include <string>

#include "tools/json/json_document.h"

namespace geckoprof {
namespace {

TEST_CASE("a value that is missing answers every question") {
  const JsonView missing{};
  CHECK_FALSE(missing.Exists());
  CHECK(missing.IsNull());
  CHECK_FALSE(
      (missing.IsObject() || missing.IsArray() || missing.IsString() || missing.IsNumber() || missing.IsBool()));
  CHECK(missing.size() == 0);
  CHECK_FALSE(missing.At(0).Exists());
  CHECK_FALSE(missing["a"].Exists());
  CHECK(missing.AsString().empty());
  CHECK(missing.NumberOr(7) == 7);
  CHECK(missing.TypeName() == "missing");
}

TEST_CASE("short and long arrays of each kind answer alike") {
  for (const size_t count : {3, 2000}) {
    for (const std::string value : {"1", "-200", "40000", "5000000000", "1.5", "null", "true", "\"x\"", "[2]", "{}"}) {
      std::string text = "[" + value;
      for (size_t i = 1; i < count; ++i) text += "," + value;
      const auto document = JsonDocument::Parse(text + "]", JsonDocument::Utf8::kStrict);
      const auto single = JsonDocument::Parse(value, JsonDocument::Utf8::kStrict);
      REQUIRE((document.ok() && single.ok()));
      const JsonView array = document->root(), wanted = single->root();
      REQUIRE(array.IsArray());
      REQUIRE(array.size() == count);
      for (const size_t index : {size_t{0}, count - 1}) {
        const JsonView found = array.At(index);
        CHECK(found.Exists());
        CHECK(found.TypeName() == wanted.TypeName());
        CHECK(found.AsNumber() == wanted.AsNumber());
        CHECK(found.AsInteger() == wanted.AsInteger());
        CHECK(found.AsString() == wanted.AsString());
        CHECK(found.size() == wanted.size());
        CHECK(found.IsNull() == wanted.IsNull());
        CHECK(found.IsTrue() == wanted.IsTrue());
      }
      CHECK_FALSE(array.At(count).Exists());
      CHECK(array["x"].TypeName() == "missing");
      CHECK(array.AsString().empty());
    }
  }
}

TEST_CASE("members come in the file's order, and the first of a name is found") {
  const auto document = JsonDocument::Parse(R"({"b":1,"a":{"c":2},"b":3})", JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  std::string seen;
  document->root().ForEachMember(
      [&](std::string_view key, JsonView value) { seen += std::string(key) + std::string(value.TypeName()) + " "; });
  CHECK(seen == "bnumber aobject bnumber ");
  CHECK(document->root()["b"].AsInteger() == 1);
  CHECK(document->root()["a"]["c"].AsInteger() == 2);
  CHECK(document->root().size() == 3);
  CHECK_FALSE(document->root().At(0).Exists());
}

}  // namespace
}  // namespace geckoprof
