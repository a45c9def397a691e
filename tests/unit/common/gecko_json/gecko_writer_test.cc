#include "geckoprof/gecko_json/gecko_writer.h"

#include <rapidjson/document.h>

#include <catch2/catch.hpp>
#include <string>

#include "geckoprof/gecko_json/gecko_text.h"
#include "tests/support/changed_rows.h"
#include "tests/support/sample_process.h"

namespace geckoprof {
namespace {

rapidjson::Document Written(const ProcessProfile& process, std::vector<const ProcessProfile*> children = {}) {
  std::string text;
  JsonWriter writer(StringSink(&text));
  children.insert(children.begin(), &process);
  const auto at = [](const void* context, size_t row) -> const ProcessProfile& {
    return *(*static_cast<const std::vector<const ProcessProfile*>*>(context))[row];
  };
  WriteGeckoProfile({children.size(), at, &children}, writer);
  REQUIRE(writer.Finish());
  rapidjson::Document document;
  document.Parse(text.c_str());
  REQUIRE_FALSE(document.HasParseError());
  return document;
}

std::string Location(const rapidjson::Value& thread, const rapidjson::Value& frame) {
  const auto& row = thread["frameTable"]["data"][frame.GetUint()];
  return thread["stringTable"][row[0].GetUint()].GetString();
}

// The locations of a stack, innermost first.
std::vector<std::string> Stack(const rapidjson::Value& thread, const rapidjson::Value& stack) {
  std::vector<std::string> locations;
  const rapidjson::Value* row = &stack;
  while (!row->IsNull()) {
    const auto& entry = thread["stackTable"]["data"][row->GetUint()];
    locations.push_back(Location(thread, entry[1]));
    row = &entry[0];
  }
  return locations;
}

TEST_CASE("the root keys are there, and meta says what was recorded") {
  const auto document = Written(SampleProcess());
  for (const char* key : {"libs", "meta", "pages", "sources", "threads", "pausedRanges", "profilingLog", "processes"}) {
    CHECK(document.HasMember(key));
  }
  const auto& meta = document["meta"];
  CHECK(meta["version"].GetInt() == 34);
  CHECK(meta["startTime"].GetDouble() == 1795225882549.5);
  CHECK(meta["startTimeAsClockMonotonicNanosecondsSinceBoot"].GetInt64() == 1'000'000'000);
  CHECK(meta["interval"].GetInt() == 1);
  CHECK(meta["product"].GetString() == std::string("solver"));
  CHECK(meta["profilingEndTime"].GetInt() == 10);
  CHECK(meta["configuration"]["features"].Size() == 2);
  CHECK(meta["configuration"]["threads"][0].GetString() == std::string("*"));
  CHECK(meta["configuration"]["capacity"].GetInt() == 1024);
  CHECK(meta["sampleUnits"]["threadCPUDelta"].GetString() == std::string("ns"));
  const auto& schema = meta["markerSchema"][0];
  CHECK(schema["data"].Size() == 4);  // three fields and the description
  CHECK(schema["data"][3]["value"].GetString() == std::string("One step."));
  CHECK(schema["data"][1]["hidden"].GetBool());
  CHECK(document["pausedRanges"][0]["startTime"].GetInt() == 8);
  CHECK(document["pausedRanges"][0]["endTime"].IsNull());
  const auto& recording = document["profilingLog"]["1001"]["recording"];
  CHECK(recording["losses"][0]["what"].GetString() == std::string("no-chunk"));
  CHECK(recording["pauses"]["counts"][1].GetInt() == 7);
}

TEST_CASE("libraries are sorted and disjoint, and frames move with theirs") {
  const auto document = Written(SampleProcess());
  const auto& libs = document["libs"];
  REQUIRE(libs.Size() == 4);
  for (rapidjson::SizeType i = 0; i < libs.Size(); ++i) {
    CHECK(libs[i]["start"].GetUint64() < libs[i]["end"].GetUint64());
    if (i > 0) CHECK(libs[i - 1]["end"].GetUint64() <= libs[i]["start"].GetUint64());
    for (const char* key : {"offset", "name", "path", "debugName", "debugPath", "breakpadId", "codeId", "arch"}) {
      CHECK(libs[i].HasMember(key));
    }
  }
  CHECK(libs[2]["name"].GetString() == std::string("linux-vdso.so.1"));
  CHECK(libs[0]["name"].GetString() == std::string("a.so"));
  CHECK(libs[3]["name"].GetString() == std::string("b.so"));
  CHECK(libs[0]["breakpadId"].GetString() == std::string("0403020106050807090A0B0C0D0E0F100"));
  const auto& main = document["threads"][0];
  const auto& samples = main["samples"]["data"];
  CHECK(Stack(main, samples[0][0]) == std::vector<std::string>{"0x10010", "0x400100", "(root)"});
  const std::string moved = GeckoAddressText(libs[3]["start"].GetUint64() + 0x10);
  CHECK(Stack(main, samples[6][0]) == std::vector<std::string>{moved, "0x400100", "(root)"});
}

TEST_CASE("threads: names, times, one row a tick for an idle run") {
  const auto document = Written(SampleProcess());
  const auto& main = document["threads"][0];
  CHECK(main["name"].GetString() == std::string("GeckoMain"));
  CHECK(main["processName"].GetString() == std::string("solver"));
  CHECK(main["registerTime"].GetInt() == 0);
  CHECK(main["unregisterTime"].IsNull());
  CHECK(main["samples"]["schema"]["eventDelay"].GetInt() == 2);
  const auto& samples = main["samples"]["data"];
  REQUIRE(samples.Size() == 7);
  CHECK(samples[0].Size() == 2);  // CPU time unknown: cut after the time
  CHECK(samples[0][1].GetDouble() == 1.258982);
  for (rapidjson::SizeType i = 1; i <= 5; ++i) {
    CHECK(samples[i][1].GetDouble() == Approx(1.258982 + i));
    CHECK(samples[i][2].IsNull());
    CHECK(samples[i][4].GetInt() == 0);
    CHECK(samples[i][0] == samples[1][0]);
  }
  CHECK(samples[6][4].GetInt() == 900'000);
  const auto& worker = document["threads"][1];
  CHECK(worker["name"].GetString() == std::string("worker"));
  CHECK(worker["unregisterTime"].GetInt() == 9);
}

TEST_CASE("no row of an idle run has an unknown CPU time, though it was not asked for") {
  ProcessProfile process = SampleProcess();
  process.features = {"stackwalk"};
  ChangeRows(process.threads[0].samples, [](SampleRow& sample) { sample.cpu_delta_ns = -1; });
  const auto document = Written(process);
  const auto& samples = document["threads"][0]["samples"]["data"];
  REQUIRE(samples.Size() == 7);
  CHECK(samples[0].Size() == 2);
  for (rapidjson::SizeType i = 1; i <= 5; ++i) {
    REQUIRE(samples[i].Size() == 5);
    CHECK(samples[i][4].GetInt() == 0);
  }
  CHECK(samples[6].Size() == 2);
}

TEST_CASE("every thread and every process has a name") {
  ProcessProfile process = SampleProcess();
  process.executable.clear();
  for (ThreadRow& thread : process.threads) thread.name.clear();
  const auto document = Written(process);
  CHECK(document["threads"][0]["name"].GetString() == std::string("GeckoMain"));
  CHECK(document["threads"][1]["name"].GetString() == std::string("thread"));
  CHECK(document["threads"][0]["processName"].GetStringLength() != 0);
}

TEST_CASE("labels and reasons in a stack") {
  const auto document = Written(SampleProcess());
  const auto& worker = document["threads"][1];
  const auto& samples = worker["samples"]["data"];
  CHECK(Stack(worker, samples[0][0])[0] == "Solver::Run step:64 ");
  CHECK(Stack(worker, samples[1][0])[0] == "(truncated)");
  const auto& label = worker["frameTable"]["data"][worker["stackTable"]["data"][samples[0][0].GetUint()][1].GetUint()];
  CHECK(label[6].GetInt() == 1);
  CHECK(label[7].GetInt() == 1);
}

TEST_CASE("markers: phases, payload, stack") {
  const auto document = Written(SampleProcess());
  const auto& main = document["threads"][0];
  const auto& markers = main["markers"]["data"];
  REQUIRE(markers.Size() == 4);
  CHECK(main["stringTable"][markers[0][0].GetUint()].GetString() == std::string("step"));
  CHECK(markers[0][1].GetInt() == 2);
  CHECK(markers[0][2].GetInt() == 4);
  CHECK(markers[0][3].GetInt() == 1);
  const auto& data = markers[0][5];
  CHECK(data["type"].GetString() == std::string("Step"));
  CHECK(data["name"].GetString() == std::string("inner loop"));
  CHECK(data["size"].GetDouble() == 2.5);
  CHECK(main["stringTable"][data["id"].GetUint()].GetString() == std::string("inner loop"));
  const auto& stack = data["stack"]["samples"]["data"][0];
  CHECK(Stack(main, stack[0]) == std::vector<std::string>{"0x400100", "(root)"});
  CHECK(markers[1].Size() == 5);
  CHECK(markers[2][3].GetInt() == 2);
  CHECK(markers[3][1].GetInt() == 0);
  CHECK(markers[3][2].GetInt() == 6);
}

TEST_CASE("a second image has a number of its own, a main thread, and the parent's category list") {
  const ProcessProfile child = SampleSecondImage();
  const auto document = Written(SampleProcess(), {&child});
  REQUIRE(document["processes"].Size() == 1);
  const auto& process = document["processes"][0];
  CHECK(process["threads"][0]["pid"].GetInt() == 10'001'001);
  CHECK(process["threads"][0]["name"].GetString() == std::string("GeckoMain"));
  CHECK(process["meta"]["categories"] == document["meta"]["categories"]);
  CHECK(document["meta"]["categories"].Size() == 5);
  CHECK_FALSE(process["meta"].HasMember("product"));
}

TEST_CASE("pauses and an end as far off as can be are written") {
  ProcessProfile process = SampleProcess();
  process.start_ns = INT64_MIN;
  process.end_ns = INT64_MAX;
  process.paused = {{INT64_MIN, INT64_MAX, "far"}, {INT64_MAX, INT64_MIN, "back"}};
  const auto document = Written(process);
  CHECK(document["pausedRanges"][0]["startTime"].GetInt() == 0);
  CHECK(document["pausedRanges"][0]["endTime"].GetDouble() == Approx(9223372036854.775));
  CHECK(document["pausedRanges"][1]["startTime"].GetDouble() == Approx(9223372036854.775));
}

TEST_CASE("tables with wrong indices are written without them") {
  ProcessProfile process = SampleProcess();
  process.stacks[1].prefix = 3;
  process.stacks[5].frame = 99;
  process.frames[4].text = 99;
  process.frames[4].category = 77;
  ChangeRow(process.threads[0].markers, 0, [](MarkerRow& marker) {
    marker.name = -5;
    marker.category = 99;
    marker.type = 99;
  });
  ChangeRow(process.threads[0].samples, 0, [](SampleRow& sample) { sample.stack = 1'000; });
  process.categories.clear();
  const auto document = Written(process);
  CHECK(document["threads"][0]["samples"]["data"][0][0].IsNull());
  CHECK(document["meta"]["categories"][0]["color"].GetString() == std::string("grey"));
  CHECK(document["threads"][0]["markers"]["data"][0][4].GetInt() == 0);
}

TEST_CASE("counters: differences, with the number of operations where it is counted") {
  ProcessProfile process = SampleProcess();
  const auto document = Written(process);
  REQUIRE(document["counters"].Size() == 1);
  const auto& counter = document["counters"][0];
  CHECK(counter["name"] == "cache");
  CHECK(counter["category"] == "Memory");
  CHECK(counter["samples"]["schema"]["number"].GetInt() == 2);
  REQUIRE(counter["samples"]["data"].Size() == 3);
  const auto& row = counter["samples"]["data"][1];
  REQUIRE(row.Size() == 3);
  CHECK(row[0].GetDouble() == 3.0);
  CHECK(row[1].GetInt() == -96);
  CHECK(row[2].GetInt() == 1);
  process.counters[0].has_number = false;
  const auto without = Written(process);
  CHECK_FALSE(without["counters"][0]["samples"]["schema"].HasMember("number"));
  CHECK(without["counters"][0]["samples"]["data"][1].Size() == 2);
  process.counters.clear();
  CHECK_FALSE(Written(process).HasMember("counters"));
}

TEST_CASE("the sampler's looks: times and durations in us, with statistics as the viewer reads them") {
  ProcessProfile process = SampleProcess();
  CHECK_FALSE(Written(process).HasMember("profilerOverhead"));
  process.sampler_cpu_ns = 70'000;
  process.handler_ns = 5'000;
  process.looks = {{process.start_ns + 2'000'000, 1'000, 10'000, 2'000, 30'000, 40'000},
                   {process.start_ns + 4'000'000, 3'000, 20'000, 0, 38'000, 25'000}};
  const auto document = Written(process);
  const auto& overhead = document["profilerOverhead"];
  const auto& rows = overhead["samples"]["data"];
  REQUIRE(rows.Size() == 2);
  const double expected[] = {2'000, 0, 10, 2, 30, 1, 40};
  for (rapidjson::SizeType i = 0; i < 7; ++i) CHECK(rows[0][i].GetDouble() == expected[i]);
  CHECK(overhead["samples"]["schema"]["expiredMarkerCleaning"].GetInt() == 2);
  CHECK(overhead["samples"]["schema"]["lateness"].GetInt() == 5);
  const auto& statistics = overhead["statistics"];
  CHECK(statistics["samplingCount"].GetInt() == 2);
  CHECK(statistics["profiledDuration"].GetDouble() == 2'000);
  CHECK(statistics["overheadDurations"].GetDouble() == 100);
  CHECK(statistics["overheadPercentage"].GetDouble() == 0.05);
  CHECK(statistics["meanInterval"].GetDouble() == 2'000);
  CHECK(statistics["minOverhead"].GetDouble() == 42);
  CHECK(statistics["maxThread"].GetDouble() == 38);
  CHECK(statistics["meanCleaning"].GetDouble() == 15);
  CHECK(overhead["samplerCPUTime"].GetDouble() == 0.07);
  CHECK(overhead["handlerTime"].GetDouble() == 0.005);
}

TEST_CASE("the interval is the one that was asked for") {
  ProcessProfile process = SampleProcess();
  process.asked_interval_ns = 250'000;
  const auto document = Written(process);
  CHECK(document["meta"]["interval"].GetDouble() == 0.25);
  CHECK(document["meta"]["configuration"]["interval"].GetDouble() == 0.25);
}

}  // namespace
}  // namespace geckoprof
