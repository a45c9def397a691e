#include "tools/check/thread_rules.h"

#include "tests/unit/tools/check/valid_profile_text.h"

namespace geckoprof {
namespace {

TEST_CASE("samples outside their thread's life or the recording") {
  RequireWarnings(kValidGecko,
                  {
                      {"\"registerTime\":1,", "\"registerTime\":20.5,",
                       "$.threads[0].samples.data[0][1]: time 10.25 is before the thread's registerTime (20.5)"},
                      {"\"unregisterTime\":98", "\"unregisterTime\":2.5",
                       "$.threads[0].samples.data[2][1]: time 12.75 is after the thread's unregisterTime (2.5)"},
                      {"\"profilingEndTime\":99", "\"profilingEndTime\":2.5",
                       "$.threads[0].samples.data[2][1]: time 12.75 is after profilingEndTime (2.5)"},
                  });
  RequireWarnings(kValidProcessed,
                  {
                      {"\"registerTime\":1,", "\"registerTime\":20.5,",
                       "$.threads[0].samples.time[0]: time 10.25 is before the thread's registerTime (20.5)"},
                      {"\"registerTime\":3,\"unregisterTime\":null", "\"registerTime\":3,\"unregisterTime\":20.25",
                       "$.threads[1].samples.timeDeltas[1]: time 30.5 is after the thread's unregisterTime (20.25)"},
                      {"\"interval\":1,", "\"interval\":1,\"profilingEndTime\":20.25,",
                       "$.threads[1].samples.timeDeltas[1]: time 30.5 is after profilingEndTime (20.25)"},
                  });
}

TEST_CASE("a few ms outside are forgiven") {
  for (const char* text : {"\"registerTime\":20,", "\"registerTime\":20.25,"}) {
    CHECK(CheckText(Replaced(kValidGecko, "\"registerTime\":1,", text)).faults.warning_count() == 0);
  }
}

TEST_CASE("more CPU time than there is between two rows") {
  RequireWarnings(kValidGecko,
                  {{"[2,11.5,0,null,500]", "[2,11.5,0,null,2000000]",
                    "$.threads[0].samples.data[1][4]: threadCPUDelta is 2 ms, in 1.25 ms since the row before"}});
  RequireWarnings(
      kValidProcessed,
      {{"[null,500,0]", "[null,500,2000000]",
        "$.threads[0].samples.threadCPUDelta[2]: threadCPUDelta is 2 ms, in 1.25 ms since the row before"}});
  // Up to 1.5 * 1.25 + 0.05 ms; the first row covers time before the recording.
  CHECK(CheckText(Replaced(kValidProcessed, "[null,500,0]", "[9000000,500,1924000]")).faults.warning_count() == 0);
  const std::string microseconds = Replaced(kValidProcessed, "\"threadCPUDelta\":\"ns\"", "\"threadCPUDelta\":\"µs\"");
  CHECK(CheckText(microseconds).faults.warning_count() == 0);
  CHECK(CheckText(Replaced(microseconds, "[null,500,0]", "[null,5000,0]")).faults.warning_count() == 1);
  const std::string cycles =
      Replaced(kValidProcessed, "\"threadCPUDelta\":\"ns\"", "\"threadCPUDelta\":\"variable CPU cycles\"");
  CHECK(CheckText(Replaced(cycles, "[null,500,0]", "[null,9e9,0]")).faults.warning_count() == 0);
}

TEST_CASE("CPU times need a unit") {
  const char kUnits[] = "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},";
  // The viewer dies of units without this one.
  for (const char* valid : {kValidGecko, kValidProcessed}) {
    RequireFaults(valid, {{",\"threadCPUDelta\":\"ns\"", "", "$.meta.sampleUnits.threadCPUDelta: is missing"}});
  }
  RequireFaults(
      kValidGecko,
      {{kUnits, "", "$.threads[0].samples.data[1][4]: has no unit: meta.sampleUnits.threadCPUDelta is missing"}});
  RequireFaults(kValidProcessed,
                {{kUnits, "",
                  "$.threads[0].samples.threadCPUDelta[1]: has no unit: meta.sampleUnits.threadCPUDelta is missing"}});
  const std::string without = Replaced(kValidProcessed, kUnits, "");
  CHECK(CheckText(without).faults.fault_count() == 1);  // once a thread
  CHECK(CheckText(Replaced(without, "[null,500,0]", "[null,null,null]")).faults.fault_count() == 0);
}

std::vector<std::string> WarningsOf(std::string threads) {
  const auto document = JsonDocument::Parse(std::move(threads), JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  FaultList faults(100);
  ValueChecker checker(&faults);
  CheckThreadIds(document->root(), JsonPath(), &checker);
  return faults.warnings();
}

TEST_CASE("a tid is one thread's at a time") {
  const std::string warning = "$.threads[1].tid: 100 is that of thread 0, too, which lives at the same time";
  RequireWarnings(kValidGecko, {{"\"tid\":101", "\"tid\":100", warning.c_str()}});
  RequireWarnings(kValidProcessed, {{"\"tid\":\"101\"", "\"tid\":\"100\"", warning.c_str()}});
}

TEST_CASE("a tid may come again, in another process or later") {
  CHECK(WarningsOf(R"([{"pid":1,"tid":5,"registerTime":1,"unregisterTime":3},
                     {"pid":1,"tid":5,"registerTime":3,"unregisterTime":null},
                     {"pid":2,"tid":5,"registerTime":1},{"tid":"x"},{"pid":1,"tid":null,"registerTime":1}])")
            .empty());
}

TEST_CASE("a long life overlaps with more than the next one") {
  CHECK(WarningsOf(R"([{"pid":1,"tid":5,"registerTime":1,"unregisterTime":9},
                     {"pid":1,"tid":5,"registerTime":7,"unregisterTime":8},
                     {"pid":1,"tid":5,"registerTime":2,"unregisterTime":3}])") ==
        std::vector<std::string>{"$[2].tid: 5 is that of thread 0, too, which lives at the same time",
                                 "$[1].tid: 5 is that of thread 0, too, which lives at the same time"});
}

}  // namespace
}  // namespace geckoprof
