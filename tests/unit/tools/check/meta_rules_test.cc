#include "tools/check/meta_rules.h"

#include "tests/unit/tools/check/valid_profile_text.h"

namespace geckoprof {
namespace {

TEST_CASE("meta: times, interval and units") {
  RequireFaults(kValidGecko,
                {{"\"startTime\":1000.5,", "", "$.meta.startTime: is missing"},
                 {"\"interval\":1,", "\"interval\":0,", "$.meta.interval: 0 is not positive"},
                 {"\"interval\":1,", "", "$.meta.interval: is missing"},
                 {"\"profilingEndTime\":99", "\"profilingEndTime\":0.5",
                  "$.meta.profilingEndTime: 0.5 is earlier than profilingStartTime (1)"},
                 {"\"threadCPUDelta\":\"ns\"", "\"threadCPUDelta\":\"s\"",
                  "$.meta.sampleUnits.threadCPUDelta: \"s\" is no unit of the viewer"},
                 {"{\"time\":\"ms\",", "{\"time\":\"h\",", "$.meta.sampleUnits.time: \"h\" is no unit of the viewer"}});
  RequireWarnings(kValidGecko, {{"\"startTime\":1000.5", "\"startTime\":-1", "$.meta.startTime: -1 is negative"},
                                {"\"product\":\"demo\"", "\"product\":5", "$.meta.product: is number, not string"}});
}

TEST_CASE("paused ranges are in order") {
  RequireWarnings(kValidGecko,
                  {{"\"endTime\":51", "\"endTime\":49", "$.pausedRanges[0].endTime: 49 is earlier than the start (50)"},
                   {"\"startTime\":60", "\"startTime\":40",
                    "$.pausedRanges[1].startTime: 40 is earlier than that of the range before (50)"},
                   {",\"reason\":\"collecting\"", "", "$.pausedRanges[1].reason: is missing"}});
}

TEST_CASE("a thread ends after it began") {
  RequireFaults(kValidGecko, {{"\"unregisterTime\":98", "\"unregisterTime\":0.5",
                               "$.threads[0].unregisterTime: 0.5 is earlier than registerTime (1)"}});
  RequireWarnings(kValidGecko, {{"\"registerTime\":2,", "", "$.threads[1].registerTime: is missing"}});
  RequireFaults(kValidProcessed, {{"\"unregisterTime\":98", "\"unregisterTime\":\"x\"",
                                   "$.threads[0].unregisterTime: is string, not number"}});
}

}  // namespace
}  // namespace geckoprof
