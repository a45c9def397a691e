#include "tools/report/json_report.h"

#include <catch2/catch.hpp>

#include "tools/profile/json_document.h"
#include "tools/profile/profile_file.h"
#include "tools/profile/profile_loader.h"

namespace geckoprof {
namespace {

TEST_CASE("the report for scripts") {
  const auto text = ReadProfileFile(GECKOPROF_GOLDEN_DIR "/demo_processed_69.json");
  REQUIRE(text.ok());
  const auto model = LoadProfileText(*text);
  REQUIRE(model.ok());
  const auto document =
      JsonDocument::Parse(WriteJsonReport(*model, Summarize(*model, {}), "f", 2), JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  const JsonView root = document->root();
  CHECK(root["format"].AsString() == "processed");
  CHECK(root["product"].AsString() == "demo");
  CHECK(root["command"].AsString() == "demo --size 10");
  CHECK(root["threads"].At(0)["cpuNs"].AsInteger() == 30'600'000);
  CHECK(root["functionsBySelf"].size() == 2);
  CHECK(root["functionsBySelf"].At(0)["name"].AsString() == "Inner(double)");
  CHECK(root["functionsBySelf"].At(0)["self"].AsInteger() == 15);
  CHECK(root["functionsByTotal"].At(0)["name"].AsString() == "main");
  CHECK(root["heaviestPath"].size() == 3);
  CHECK(root["samples"].AsInteger() == 36);
  CHECK(root["idleSamples"].AsInteger() == 16);
  CHECK(root["programImages"].AsInteger() == 1);
  CHECK(root["sections"].At(0)["entries"].At(0)["value"].AsString() == "3");
  CHECK(root["markers"].At(0)["totalMs"].AsNumber() == 10.5);
}

}  // namespace
}  // namespace geckoprof
