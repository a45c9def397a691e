#include "tools/profile/counter_loader.h"

#include <catch2/catch.hpp>
#include <string>

#include "tools/profile/counter_peak.h"

namespace geckoprof {
namespace {

ProfileModel Loaded(const std::string& text, bool gecko) {
  const auto document = JsonDocument::Parse(text, JsonDocument::Utf8::kAny);
  REQUIRE(document.ok());
  ProfileModel model;
  model.processes = {{"1", "", 0}, {"2.1", "", 0}};
  gecko ? LoadGeckoCounters(document->root(), 1, &model) : LoadProcessedCounters(document->root(), &model);
  return model;
}

TEST_CASE("counters of the Gecko format: sums of all rows but the first") {
  const ProfileModel model = Loaded(
      R"({"counters":[{"name":"malloc","category":"Memory","samples":{"schema":{"time":0,"count":1,"number":2},
      "data":[[10,100,9],[11,5,1],[13,-2,2]]}},{"name":"none"}]})",
      true);
  REQUIRE(model.counters.size() == 1);
  const ProfileCounter& counter = model.counters[0];
  CHECK(counter.process == 1);
  CHECK(counter.name == "malloc");
  CHECK(counter.category == "Memory");
  CHECK(counter.unit == "bytes");
  CHECK(counter.total == 3);
  CHECK(counter.has_operations);
  CHECK(counter.operations == 3);
  CHECK(counter.first_ms == 10);
  CHECK(counter.last_ms == 13);
}

TEST_CASE("counters of the processed format, by their process") {
  const ProfileModel model = Loaded(
      R"({"counters":[{"name":"a","category":"C","pid":"2.1","display":{"unit":"ns"},
      "samples":{"time":[1,2],"count":[7,8],"length":2}},
      {"name":"b","category":"Bandwidth","pid":"1","samples":{"timeDeltas":[5,2,2],"count":[0,1e30,"x"],"number":[1,2,3]}},
      {"name":"c","pid":"3","samples":{"time":[1],"count":[1]}}]})",
      false);
  REQUIRE(model.counters.size() == 2);
  CHECK(model.counters[0].process == 1);
  CHECK(model.counters[0].unit == "ns");
  CHECK(model.counters[0].total == 8);
  CHECK_FALSE(model.counters[0].has_operations);
  CHECK(model.counters[1].unit == "bytes");
  CHECK(model.counters[1].total == 0);  // nonsense
  CHECK(model.counters[1].operations == 5);
  CHECK(model.counters[1].first_ms == 5);
  CHECK(model.counters[1].last_ms == 9);
}

TEST_CASE("the peak is the greatest value, and of a rate the most that was added for a second") {
  const ProfileModel model = Loaded(
      R"({"counters":[{"name":"level","pid":"1","display":{"graphType":"line-accumulated"},
      "samples":{"time":[1,2,3],"count":[100,5,-40]}},
      {"name":"rate","pid":"1","display":{"graphType":"line-rate"},"samples":{"time":[0,10,20,20.5],"count":[900,5,8,1]}},
      {"name":"Bandwidth","category":"Bandwidth","pid":"1","samples":{"time":[0,100],"count":[7,1]}},
      {"name":"none","pid":"1","samples":{"time":[],"count":[]}}]})",
      false);
  REQUIRE(model.counters.size() == 4);
  CHECK(model.counters[0].peak == 105);
  CHECK(model.counters[1].peak == 2000);  // 1 in half a ms
  CHECK(model.counters[2].peak == 10);    // the format's readers draw a rate if the file does not say
  CHECK_FALSE(model.counters[3].peak.has_value());
}

TEST_CASE("a rate has an interval at least, and rows that do not count begin the next one") {
  CounterPeak peak(/*is_rate=*/true, /*interval_ms=*/1);
  peak.Add(0, 100);
  CHECK_FALSE(peak.value().has_value());
  peak.Add(0.25, 3);
  CHECK(peak.value() == 3000);
  peak.Add(4.25, 100, /*counts=*/false);
  peak.Add(6.25, 8);
  CHECK(peak.value() == 4000);
}

TEST_CASE("a profile without counters has none") {
  CHECK(Loaded("{}", true).counters.empty());
  CHECK(Loaded(R"({"counters":5})", false).counters.empty());
}

TEST_CASE("whole numbers are added up exactly") {
  const ProfileModel model = Loaded(
      R"({"counters":[{"name":"a","pid":"1","samples":{"time":[0,1,2,3,4],
      "count":[5,9223372036854775807,-9223372036854775808,0.25,0.5],"number":[0,1,1,1,1]}}]})",
      false);
  REQUIRE(model.counters.size() == 1);
  CHECK(model.counters[0].total == -0.25);
  CHECK(model.counters[0].operations == 4);
}

}  // namespace
}  // namespace geckoprof
