#include "tools/check/processed_rules.h"

#include "tests/unit/tools/check/valid_profile_text.h"

namespace geckoprof {
namespace {

TEST_CASE("the valid processed profile has no fault and no warning") {
  const ProfileVerdict verdict = CheckText(kValidProcessed);
  CHECK(verdict.faults.faults() == std::vector<std::string>());
  CHECK(verdict.faults.warnings() == std::vector<std::string>());
}

TEST_CASE("meta and top level of a processed profile") {
  RequireFaults(
      kValidProcessed,
      {{"\"preprocessedProfileVersion\":69", "\"preprocessedProfileVersion\":71",
        "$.meta.preprocessedProfileVersion: 71 is no known processed format version (46..70)"},
       {"\"initialVisibleThreads\":[0,1]", "\"initialVisibleThreads\":[]", "$.meta.initialVisibleThreads: is empty"},
       {",\"value\":3", "", "$.meta.extra[0].entries[0].value: is missing"},
       {"\"format\":\"integer\",\"value\":3", "\"format\":\"integer\",\"value\":\"three\"",
        "$.meta.extra[0].entries[0].value: is string, but the format wants number"},
       {"\"stringArray\":[\"main\"", "\"stringArray\":[null", "$.shared.stringArray[0]: is null, not string"}});
  RequireWarnings(
      kValidProcessed,
      {{"\"version\":34", "\"version\":9999", "$.meta.version: 9999 is no version of the Gecko format"},
       {"\"initialVisibleThreads\":[0,1]", "\"initialVisibleThreads\":[0,2]",
        "$.meta.initialVisibleThreads[1]: thread index 2 is out of range"},
       {"\"initialVisibleThreads\":[0,1]", "\"initialVisibleThreads\":[1,1]",
        "$.meta.initialVisibleThreads[1]: thread 1 is in the list for the second time"},
       {"\"symbolicated\":true", "\"symbolicated\":1", "$.meta.symbolicated: is number, not boolean"},
       {"\"initialVisibleThreads\":[0,1]", "\"initialSelectedThreads\":[2]",
        "$.meta.initialSelectedThreads[0]: thread index 2 is out of range"},
       {"\"format\":\"integer\",\"value\":3", "\"format\":\"number\",\"value\":3",
        "$.meta.extra[0].entries[0].format: \"number\" is no format of the viewer, which shows the value as it is"}});
}

TEST_CASE("a version that the viewer upgrades is not checked") {
  RequireWarnings(
      kValidProcessed,
      {{"\"preprocessedProfileVersion\":69", "\"preprocessedProfileVersion\":45",
        "$.meta.preprocessedProfileVersion: versions before 46 are not checked: the viewer upgrades them"}});
}

TEST_CASE("one main thread a process") {
  RequireFaults(kValidProcessed, {{"\"isMainThread\":false", "\"isMainThread\":true",
                                   "$.threads[1].isMainThread: is true of a second thread of the process"}});
  RequireWarnings(kValidProcessed, {{"\"isMainThread\":true", "\"isMainThread\":false",
                                     "$.threads[0].isMainThread: is true of no thread of process 100"},
                                    {"\"pid\":\"100\",\"tid\":\"101\"", "\"pid\":\"101\",\"tid\":\"101\"",
                                     "$.threads[1].isMainThread: is true of no thread of process 101"}});
}

TEST_CASE("counters of a processed profile") {
  RequireFaults(
      kValidProcessed,
      {{"\"mainThreadIndex\":0", "\"mainThreadIndex\":2",
        "$.counters[0].mainThreadIndex: thread index 2 is out of range (0..1)"},
       {"\"time\":[1,2.5]", "\"time\":[1,0.5]",
        "$.counters[0].samples.time[1]: time 0.5 is earlier than that of the row before (1)"},
       {"\"count\":[0,4]", "\"count\":[0,\"4\"]", "$.counters[0].samples.count[1]: is no number"},
       {"\"color\":\"purple\"", "\"color\":\"pink\"",
        "$.counters[0].display.color: \"pink\" is not known to the viewer"},
       {"\"graphType\":\"line-rate\"", "\"graphType\":\"bars\"",
        "$.counters[0].display.graphType: \"bars\" is not known to the viewer"},
       {"\"tooltipRows\":[]", "\"tooltipRows\":[{\"type\":\"line\"}]",
        "$.counters[0].display.tooltipRows[0].type: \"line\" is not known to the viewer"},
       {"\"tooltipRows\":[]",
        "\"tooltipRows\":[{\"type\":\"separator\"},{\"type\":\"value\",\"source\":\"age\",\"label\":\"l\","
        "\"format\":{\"unit\":\"bytes\"}}]",
        "$.counters[0].display.tooltipRows[1].source: \"age\" is not known to the viewer"},
       {"\"tooltipRows\":[]",
        "\"tooltipRows\":[{\"type\":\"value\",\"source\":\"rate\",\"label\":\"l\",\"format\":{\"unit\":\"ns\"}}]",
        "$.counters[0].display.tooltipRows[0].format.unit: \"ns\" is not known to the viewer"}});
  RequireFaults(kValidProcessed, {{"\"pid\":\"100\",\"mainThreadIndex\":0", "\"pid\":\"1\",\"mainThreadIndex\":0",
                                   "$.counters[0].mainThreadIndex: thread 0 is not of process 1"}});
}

}  // namespace
}  // namespace geckoprof
