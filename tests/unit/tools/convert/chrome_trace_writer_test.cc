#include <catch2/catch.hpp>
#include <map>

#include "tests/unit/tools/convert/small_model.h"
#include "tools/convert/format_writers.h"
#include "tools/json/json_document.h"

namespace geckoprof {
namespace {

TEST_CASE("samples, markers and counters of a trace") {
  const auto document = JsonDocument::Parse(Written(SmallModel(), WriteChromeTrace), JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  const JsonView events = document->root()["traceEvents"];
  std::map<std::string, std::vector<JsonView>> by_phase;
  for (size_t i = 0; i < events.size(); ++i) {
    by_phase[std::string(events.At(i)["ph"].AsString())].push_back(events.At(i));
  }
  REQUIRE(by_phase["M"].size() == 3);
  CHECK(by_phase["M"][0]["name"].AsString() == "process_name");
  CHECK(by_phase["M"][0]["args"]["name"].AsString() == "demo");
  CHECK(by_phase["M"][2]["name"].AsString() == "thread_name");
  CHECK(by_phase["M"][2]["args"]["name"].AsString() == "work;er");
  CHECK(by_phase["M"][2]["tid"].AsInteger() == 11);
  REQUIRE(by_phase["P"].size() == 4);
  const JsonView chunk = by_phase["P"][1];
  CHECK(chunk["name"].AsString() == "ProfileChunk");
  const JsonView data = chunk["args"]["data"], nodes = data["cpuProfile"]["nodes"];
  CHECK(nodes.At(0)["callFrame"]["functionName"].AsString() == "(root)");
  CHECK(nodes.At(2)["callFrame"]["functionName"].AsString() == "main");
  CHECK(nodes.At(2)["parent"].AsInteger() == 1);
  CHECK(nodes.At(3)["callFrame"]["functionName"].AsString() == "run");
  CHECK(nodes.At(3)["parent"].AsInteger() == nodes.At(2)["id"].AsInteger());
  REQUIRE(data["cpuProfile"]["samples"].size() == 4);
  CHECK(data["cpuProfile"]["samples"].At(3).AsInteger() == 2);  // (idle)
  CHECK(data["timeDeltas"].At(1).AsInteger() == 1000);
  REQUIRE(by_phase["X"].size() == 1);
  const JsonView marker = by_phase["X"][0];
  CHECK(marker["name"].AsString() == "load");
  CHECK(marker["ts"].NumberOr(0) == 1000);
  CHECK(marker["dur"].NumberOr(0) == 1000);
  CHECK(marker["args"]["file"].AsString() == "a.txt");
  CHECK(marker["args"]["bytes"].AsInteger() == 42);
  CHECK(marker["args"]["ok"].IsTrue());
  CHECK(by_phase["i"][0]["name"].AsString() == "tick?[31m");
  REQUIRE(by_phase["C"].size() == 3);
  CHECK(by_phase["C"][2]["args"]["bytes"].AsInteger() == 120);
}

TEST_CASE("markers that cross are asynchronous") {
  ProfileModel model = SmallModel();
  model.threads[0].markers.push_back({0, ProfileMarkerPhase::kInterval, 1.5, 3, kNoRow, kNoRow});
  const std::string text = Written(model, WriteChromeTrace);
  CHECK(text.find(R"("ph":"b")") != std::string::npos);
  CHECK(text.find(R"("ph":"e")") != std::string::npos);
}

TEST_CASE("allocations are no samples of a trace") {
  ProfileModel model = SmallModel();
  const auto profiles = [&model] {
    const std::string text = Written(model, WriteChromeTrace);
    size_t count = 0;
    for (size_t at = text.find("ProfileChunk"); at != std::string::npos; at = text.find("ProfileChunk", at + 1))
      ++count;
    return count;
  };
  CHECK(profiles() == 2);
  model.threads[1].weight_unit = ProfileWeightUnit::kBytes;
  CHECK(profiles() == 1);
  model.threads.erase(model.threads.begin());
  CHECK(profiles() == 1);  // there is nothing else
}

}  // namespace
}  // namespace geckoprof
