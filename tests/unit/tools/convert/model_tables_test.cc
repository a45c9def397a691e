#include "tools/convert/model_tables.h"

#include <catch2/catch.hpp>

#include "tests/unit/tools/convert/small_model.h"
#include "tools/json/json_document.h"

namespace geckoprof {
namespace {

JsonDocument Tables(const ProfileModel& model) {
  std::string text;
  JsonWriter writer(StringSink(&text));
  ModelTables tables(model);
  writer.StartObject();
  tables.WriteLibs(writer);
  tables.WriteShared(writer);
  writer.EndObject();
  CHECK(writer.Finish());
  auto document = JsonDocument::Parse(text, JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  return *std::move(document);
}

TEST_CASE("frames, functions and sources of the shared tables") {
  const JsonDocument document = Tables(SmallModel());
  const JsonView shared = document.root()["shared"], frames = shared["frameTable"], funcs = shared["funcTable"];
  CHECK(frames["length"].AsInteger() == 4);
  CHECK(frames["inlineDepth"].At(3).AsInteger() == 1);
  CHECK(frames["line"].At(0).IsNull());
  CHECK(frames["line"].At(3).AsInteger() == 21);
  const auto func = static_cast<size_t>(frames["func"].At(3).AsInteger().value_or(-1));
  const auto name = static_cast<size_t>(funcs["name"].At(func).AsInteger().value_or(-1));
  CHECK(shared["stringArray"].At(name).AsString() == "hash");
  CHECK(funcs["resource"].At(0).AsInteger() == -1);
  CHECK(funcs["resource"].At(func).AsInteger() == 0);
  CHECK(shared["sources"]["length"].AsInteger() == 1);
  CHECK(document.root()["libs"].At(0)["codeId"].AsString() == "0123456789abcdef");
}

TEST_CASE("an address without a symbol stays one") {
  ProfileModel model = SmallModel();
  for (std::string& text : model.strings) {
    if (text == "hash") text = "demo+0x40";
  }
  CHECK(ModelTables(model).has_bare_addresses());
  const JsonDocument document = Tables(model);
  const JsonView strings = document.root()["shared"]["stringArray"];
  bool found = false;
  for (size_t i = 0; i < strings.size(); ++i) found = found || strings.At(i).AsString() == "0x40";
  CHECK(found);
  CHECK_FALSE(ModelTables(SmallModel()).has_bare_addresses());
}

}  // namespace
}  // namespace geckoprof
