#include "tools/report/json_report.h"

#include <catch2/catch.hpp>

#include "tools/json/json_document.h"
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

TEST_CASE("allocations are told of for scripts, and no sample is made of them") {
  ProfileModel model;
  model.strings = {"f"};
  model.functions = {{0, kNoRow}};
  model.stacks = {{kNoRow, 0, kNoRow}};
  model.processes = {{"1", "", 0}};
  model.threads.resize(2);
  model.threads[0].samples = {{1, 1, -1, 0}};
  model.threads[1].weight_unit = ProfileWeightUnit::kBytes;
  model.threads[1].samples = {{1, 4096, -1, 0}, {2, 0, -1, 0}, {3, 0, -1, 0}};
  model.threads[1].frees = {{2, 96, -1, 0}};
  const auto parsed = [&model] {
    auto document =
        JsonDocument::Parse(WriteJsonReport(model, Summarize(model, {}), "f", 2), JsonDocument::Utf8::kStrict);
    REQUIRE(document.ok());
    return *std::move(document);
  };
  const JsonDocument both = parsed();
  CHECK(both.root()["samples"].AsInteger() == 1);
  CHECK(both.root()["unit"].AsString() == "samples");
  CHECK(both.root()["countedSamples"].AsInteger() == 1);
  CHECK(both.root()["allocations"]["count"].AsInteger() == 1);
  CHECK(both.root()["allocations"]["bytes"].AsInteger() == 4096);
  CHECK(both.root()["allocations"]["frees"].AsInteger() == 1);
  CHECK(both.root()["allocations"]["freedBytes"].AsInteger() == 96);
  CHECK(both.root()["rowsWithoutWeight"].AsInteger() == 1);
  model.threads.erase(model.threads.begin());
  const JsonDocument bytes = parsed();
  CHECK(bytes.root()["samples"].AsInteger() == 0);
  CHECK(bytes.root()["countedSamples"].AsInteger() == 0);
  CHECK(bytes.root()["unit"].AsString() == "bytes");
  CHECK(bytes.root()["countedBytes"].AsInteger() == 4096);
  CHECK(bytes.root()["functionsBySelf"].At(0)["self"].AsInteger() == 4096);
}

TEST_CASE("gaps for scripts, of each thread and of all") {
  ProfileModel model;
  model.strings = {"f"};
  model.functions = {{0, kNoRow}};
  model.stacks = {{kNoRow, 0, kNoRow}};
  model.processes = {{"1", "", 0}};
  model.threads.resize(2);
  model.threads[0].has_states = true;
  model.threads[0].samples = {{1, 1, -1, 0}, {90, 0, 80, kNoRow}, {91, 1, 20, 0}, {99, 0, 7, kNoRow}};
  const auto document =
      JsonDocument::Parse(WriteJsonReport(model, Summarize(model, {}), "f", 2), JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  const JsonView threads = document->root()["threads"];
  for (const JsonView gaps : {document->root()["gaps"], threads.At(0)["gaps"]}) {
    CHECK(gaps["count"].AsInteger() == 2);
    CHECK(gaps["cpuNs"].AsInteger() == 87);
    CHECK(gaps["longestNs"].AsInteger() == 80);
  }
  CHECK(threads.At(1)["gaps"].IsNull());
}

TEST_CASE("a counter has its peak, or none") {
  ProfileModel model;
  model.processes = {{"1", "", 0}};
  model.counters = {{0, "cache", "Memory", "bytes", 5}, {0, "CPU", "CPU", "ms", 5}};
  model.counters[0].peak = 105;
  model.counters[1].is_rate = true;
  const auto document =
      JsonDocument::Parse(WriteJsonReport(model, Summarize(model, {}), "f", 2), JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  const JsonView counters = document->root()["counters"];
  CHECK(counters.At(0)["peak"].AsInteger() == 105);
  CHECK_FALSE(counters.At(0)["isRate"].IsTrue());
  CHECK(counters.At(1)["peak"].IsNull());
  CHECK(counters.At(1)["isRate"].IsTrue());
}

TEST_CASE("a view as JSON says what it is of") {
  ProfileSummary summary;
  summary.samples = 3;
  const std::string text = WriteViewJson({}, ReportView::kMarkerType, summary, "a\x1b.json");
  CHECK(text.find("\"file\": \"a?.json\"") != std::string::npos);
  CHECK(text.find("\"by\": \"marker-type\"") != std::string::npos);
  CHECK(text.find("\"samples\": 3") != std::string::npos);
  CHECK(text.find("\"rows\": []") != std::string::npos);
}

}  // namespace
}  // namespace geckoprof
