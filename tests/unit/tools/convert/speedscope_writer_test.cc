#include <catch2/catch.hpp>

#include "tests/unit/tools/convert/small_model.h"
#include "tools/convert/format_writers.h"
#include "tools/json/json_document.h"

namespace geckoprof {
namespace {

TEST_CASE("one profile a thread, idle time is a gap") {
  const std::string text = Written(SmallModel(), WriteSpeedscope);
  const auto document = JsonDocument::Parse(text, JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  const JsonView root = document->root();
  CHECK(root["$schema"].AsString() == "https://www.speedscope.app/file-format-schema.json");
  const JsonView frames = root["shared"]["frames"], first = root["profiles"].At(0);
  CHECK(first["type"].AsString() == "sampled");
  CHECK(first["unit"].AsString() == "milliseconds");
  CHECK(first["name"].AsString() == "main (demo 10/10)");
  CHECK(first["endValue"].NumberOr(0) == 8);
  REQUIRE(first["samples"].size() == 2);
  CHECK(first["samples"].At(1).size() == 0);
  CHECK(first["weights"].At(0).NumberOr(0) == 3);
  CHECK(first["weights"].At(1).NumberOr(0) == 5);
  const auto leaf = static_cast<size_t>(first["samples"].At(0).At(1).AsInteger().value_or(-1));
  CHECK(frames.At(leaf)["name"].AsString() == "run");
  CHECK(frames.At(leaf)["file"].AsString() == "demo.cc");
  CHECK(root["profiles"].At(1)["samples"].At(0).size() == 3);
}

TEST_CASE("weights without an interval") {
  ProfileModel model = SmallModel();
  model.interval_ms = 0;
  model.threads[1].weight_unit = ProfileWeightUnit::kBytes;
  const std::string text = Written(model, WriteSpeedscope);
  CHECK(text.find(R"("unit":"none")") != std::string::npos);
  CHECK(text.find(R"("unit":"bytes")") != std::string::npos);
}

}  // namespace
}  // namespace geckoprof
