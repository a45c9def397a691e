#include "tools/processed_format/processed_counter_writer.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/sample_process.h"
#include "tests/unit/tools/processed_format/written_json.h"
#include "tools/processed_format/recorded_session.h"

namespace geckoprof {
namespace {

rapidjson::Document Written(const RecordedSession& session, int64_t zero_ns = 0) {
  return WrittenJson([&](JsonWriter& writer) {
    writer.StartObject();
    ProcessedCounters counters(zero_ns);
    for (const ProcessProfile& process : session.processes) counters.Add(process);
    writer.StartArrayProperty("counters");
    CHECK(counters.Write(writer));
    writer.EndArray();
    writer.EndObject();
  });
}

CounterRow Counter(const char* name, const char* category, const char* unit) {
  CounterRow counter;
  counter.name = name;
  counter.category = category;
  counter.description = "d";
  counter.unit = unit;
  counter.samples = {{1'000'000, 5, 0}, {2'500'000, -3, 2}};
  return counter;
}

RecordedSession Session(const CounterRow& counter) {
  RecordedSession session;
  session.processes = {SampleProcess(), SampleSecondImage()};
  session.processes[0].counters.clear();
  ThreadRow worker, main;
  main.is_main = true;
  session.processes[1].threads = {worker, main};
  session.processes[1].counters = {counter};
  return session;
}

TEST_CASE("a counter stands with its process and its main thread") {
  CounterRow counter = Counter("cache", "Memory", "bytes");
  counter.has_number = true;
  const auto document = Written(Session(counter), 500'000);
  REQUIRE(document["counters"].Size() == 1);
  const auto& written = document["counters"][0];
  CHECK(written["name"] == "cache");
  CHECK(written["category"] == "Memory");
  CHECK(written["description"] == "d");
  CHECK(written["pid"] == "1001.1");
  CHECK(written["mainThreadIndex"].GetUint() == 3);  // two threads of the first process, and a worker
  const auto& samples = written["samples"];
  CHECK(samples["length"].GetUint() == 2);
  CHECK(samples["time"][1].GetDouble() == 2.0);
  CHECK(samples["count"][1].GetInt() == -3);
  CHECK(samples["number"][1].GetInt() == 2);
  const auto& display = written["display"];
  CHECK(display["graphType"] == "line-accumulated");
  CHECK(display["color"] == "orange");
  CHECK(display["unit"] == "bytes");
  CHECK(display["markerSchemaLocation"] == "timeline-memory");
  CHECK(display["tooltipRows"].Size() == 3);
}

TEST_CASE("a rate in a unit of its own; colours that the viewer does not know become grey") {
  CounterRow counter = Counter("load", "Server", "requests");
  counter.is_rate = true;
  counter.color = "chartreuse";
  const auto document = Written(Session(counter));
  const auto& written = document["counters"][0];
  CHECK_FALSE(written["samples"].HasMember("number"));
  CHECK(written["display"]["graphType"] == "line-rate");
  CHECK(written["display"]["color"] == "grey");
  CHECK(written["display"]["markerSchemaLocation"].IsNull());
  CHECK(std::string(written["display"]["tooltipRows"][0]["label"].GetString()) == "per ms (requests)");
  counter.color = "teal";
  CHECK(Written(Session(counter))["counters"][0]["display"]["color"] == "teal");
}

TEST_CASE("a process without counters adds none") {
  ProcessedCounters counters(0);
  counters.Add(SampleSecondImage());
  CHECK(counters.empty());
}

}  // namespace
}  // namespace geckoprof
