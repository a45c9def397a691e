#include "tools/check/gecko_rules.h"

#include "tests/unit/tools/check/valid_profile_text.h"

namespace geckoprof {
namespace {

TEST_CASE("the valid Gecko profile has no fault and no warning") {
  const ProfileVerdict verdict = CheckText(kValidGecko);
  CHECK(verdict.faults.faults() == std::vector<std::string>());
  CHECK(verdict.faults.warnings() == std::vector<std::string>());
}

TEST_CASE("top level of a Gecko profile") {
  RequireFaults(kValidGecko,
                {{"\"meta\":{\"version\":34,\"startTime\":1000.5", "\"meta\":{\"version\":37,\"startTime\":1000.5",
                  "$.meta.version: 37 is no known Gecko format version (1..36)"},
                 {"\"meta\":{\"version\":34,\"startTime\":1000.5", "\"meta\":{\"startTime\":1000.5",
                  "$.meta.version: is missing"},
                 {"\"version\":34,\"startTime\":1003", "\"version\":33,\"startTime\":1003",
                  "$.processes[0].meta.version: 33 is not the parent's (34)"},
                 {"\"libs\":[],", "", "$.processes[0].libs: is missing"},
                 {"\"processes\":[]}]", "\"processes\":[{\"meta\":{\"markerSchema\":[]}}]}]",
                  "$.processes[0].processes: a subprocess has subprocesses: the viewer looks one level deep"},
                 {"\"pages\":[{\"innerWindowID\":7,", "\"pages\":[{", "$.pages[0].innerWindowID: is missing"}});
  RequireWarnings(kValidGecko,
                  {{"\"profilingLog\":{}", "\"profilingLog\":[]", "$.profilingLog: is array, not object"}});
}

TEST_CASE("threads: one GeckoMain and one pid a process") {
  RequireFaults(kValidGecko,
                {{"\"name\":\"worker\"", "\"name\":\"GeckoMain\"",
                  "$.threads[1].name: a second thread of the process is named \"GeckoMain\""},
                 {"\"pid\":100,\"tid\":101", "\"pid\":101,\"tid\":101",
                  "$.threads[1].pid: 101 differs from that of the process's first thread (100)"},
                 {"\"pid\":200", "\"pid\":100", "$.processes[0].threads[0].pid: 100 is the pid of $.threads, too"}});
  RequireWarnings(kValidGecko,
                  {{"\"processType\":\"tab\",\"name\":\"GeckoMain\"", "\"processType\":\"tab\",\"name\":\"main\"",
                    "$.processes[0].threads: no thread is named \"GeckoMain\""}});
}

TEST_CASE("counters of a Gecko profile") {
  RequireFaults(kValidGecko, {{"\"name\":\"malloc\",", "", "$.counters[0].name: is missing"},
                              {"[11,5,1]", "[9,5,1]",
                               "$.counters[0].samples.data[1][0]: time 9 is earlier than that of the row before (10)"},
                              {"[11,5,1]", "[11,null,1]", "$.counters[0].samples.data[1][1]: count is no number"}});
  RequireWarnings(kValidGecko, {{"[11,5,1]", "[11,5,-1]", "$.counters[0].samples.data[1][2]: number -1 is negative"}});
}

TEST_CASE("what the viewer does not read of a Gecko profile may be missing") {
  RequireWarnings(kValidGecko,
                  {{"{\"name\":\"malloc\",\"category\":\"Memory\",\"description\":\"d\",",
                    "{\"name\":\"malloc\",\"category\":\"Memory\",", "$.counters[0].description: is missing"}});
  // Firefox's child processes have no interval.
  CHECK(CheckText(Replaced(kValidGecko, "\"interval\":2,", "")).faults.faults() == std::vector<std::string>());
  CHECK(CheckText(Replaced(kValidGecko, "\"interval\":2,", "")).faults.warning_count() == 0);
}

TEST_CASE("a process without a main thread loses its counters") {
  const std::string none = Replaced(kValidGecko, "\"default\",\"name\":\"GeckoMain\"", "\"default\",\"name\":\"main\"");
  CHECK(CheckText(none).faults.faults() == std::vector<std::string>{"$.threads: no thread is named \"GeckoMain\""});
}

TEST_CASE("profilerOverhead: Firefox's step back in time is only odd") {
  RequireWarnings(
      kValidGecko,
      {{"\"profilingLog\":{}",
        R"("profilingLog":{},"profilerOverhead":{"samples":{"schema":{"time":0,"locking":1,"expiredMarkerCleaning":2,
                    "counters":3,"threads":4},"data":[[9000,1,1,1,1],[9.5,1,1,1,1]]}})",
        "$.profilerOverhead.samples.data[1][0]: 9.5 is earlier than the row before (9000)"}});
}

TEST_CASE("a profile without threads or processes") {
  CHECK(CheckText(R"({"meta":{"version":34}})").faults.faults().size() >= 4);
  CHECK(CheckText("[]").faults.faults() == std::vector<std::string>{"$: is array, not object"});
  CHECK(CheckText("{}").faults.faults() == std::vector<std::string>{"$.meta: is missing"});
}

}  // namespace
}  // namespace geckoprof
