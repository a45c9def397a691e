#include "tests/unit/tools/check/valid_profile_text.h"
#include "tools/check/processed_rules.h"

namespace geckoprof {
namespace {

TEST_CASE("a processed thread's keys") {
  RequireFaults(kValidProcessed,
                {{"\"pid\":\"100\",\"tid\":100", "\"pid\":100,\"tid\":100", "$.threads[0].pid: is number, not string"},
                 {"\"name\":\"worker\",", "", "$.threads[1].name: is missing"}});
  RequireWarnings(
      kValidProcessed,
      {{"\"isMainThread\":false,", "", "$.threads[1].isMainThread: is missing"},
       {"\"tid\":\"101\"", "\"tid\":null", "$.threads[1].tid: is neither number nor string"},
       {"\"name\":\"worker\"", "\"name\":\"\"", "$.threads[1].name: is empty"},
       {"\"processShutdownTime\":null,\"registerTime\":1,", "\"processShutdownTime\":-1,\"registerTime\":1,",
        "$.threads[0].processShutdownTime: -1 is earlier than processStartupTime (0)"}});
}

TEST_CASE("samples of a processed thread") {
  RequireFaults(
      kValidProcessed,
      {{"\"stack\":[0,2,null]", "\"stack\":[0,3,null]",
        "$.threads[0].samples.stack[1]: stack index 3 is out of range (0..2)"},
       {"\"time\":[10.25,11.5,12.75]", "\"time\":[10.25,9,12.75]",
        "$.threads[0].samples.time[1]: time 9 is earlier than that of the row before (10.25)"},
       {"\"time\":[10.25,11.5,12.75],", "", "$.threads[0].samples.time: is missing"},
       {"\"timeDeltas\":[30,0.5]", "\"timeDeltas\":[30,-0.5]",
        "$.threads[1].samples.timeDeltas[1]: delta -0.5 is negative"},
       {"\"weight\":[1,2,3]", "\"weight\":[1,null,3]", "$.threads[0].samples.weight[1]: is null, not number"},
       {"\"weight\":[1,2,3],\"weightType\":\"samples\"", "\"weight\":[1,2,3],\"weightType\":\"kg\"",
        "$.threads[0].samples.weightType: \"kg\" is no weight of the viewer"},
       {"[null,500,0]", "[null,-1,0]", "$.threads[0].samples.threadCPUDelta[1]: threadCPUDelta -1 is negative"},
       {"[null,500,0]", "[null,500]", "$.threads[0].samples.threadCPUDelta: has 2 rows, the table's length is 3"}});
  RequireWarnings(
      kValidProcessed,
      {{"\"weight\":[1,2,3]", "\"weight\":[1,0,3]", "$.threads[0].samples.weight[1]: weight 0 is not positive"},
       {"\"weight\":[1,2,3]", "\"weight\":[0,2,3]", "$.threads[0].samples.weight[0]: weight 0 is not positive"}});
}

TEST_CASE("a row in which a thread ran and had no samples weighs nothing") {
  const auto warnings = [](const char* states, const char* stacks, const char* cpu) {
    std::string text = Replaced(kValidProcessed, "\"weight\":[1,2,3]", "\"weight\":[1,0,3]");
    text = Replaced(text, "\"stack\":[0,2,null],", std::string(stacks) + "," + states);
    return CheckText(Replaced(text, "[null,500,0]", cpu)).faults.warning_count();
  };
  CHECK(warnings("\"state\":[0,0,0],", "\"stack\":[0,null,2]", "[null,500,0]") == 0);
  CHECK(warnings("", "\"stack\":[0,null,2]", "[null,500,0]") == 1);
  CHECK(warnings("\"state\":[0,3,0],", "\"stack\":[0,null,2]", "[null,500,0]") == 0);  // a wait that was too short
  CHECK(warnings("\"state\":[0,3,0],", "\"stack\":[0,1,2]", "[null,500,0]") == 1);
  CHECK(warnings("\"state\":[0,0,0],", "\"stack\":[0,1,2]", "[null,500,0]") == 1);
  CHECK(warnings("\"state\":[0,0,0],", "\"stack\":[0,null,2]", "[null,0,0]") == 1);
}

TEST_CASE("markers and allocations of a processed thread") {
  RequireFaults(
      kValidProcessed,
      {{"\"name\":[4,4]", "\"name\":[4,5]", "$.threads[0].markers.name[1]: string index 5 is out of range (0..4)"},
       {"\"endTime\":[null,22]", "\"endTime\":[null,20]",
        "$.threads[0].markers.endTime[1]: end 20 is earlier than the start (21)"},
       {"\"cause\":{\"stack\":1,", "\"cause\":{\"stack\":3,",
        "$.threads[0].markers.data[1].cause.stack: stack index 3 is out of range (0..2)"},
       {"\"weightType\":\"bytes\",\"stack\":[1]", "\"weightType\":\"bytes\",\"stack\":[7]",
        "$.threads[0].nativeAllocations.stack[0]: stack index 7 is out of range (0..2)"},
       {"\"weight\":[-8]", "\"weight\":[\"8\"]", "$.threads[0].nativeAllocations.weight[0]: is no number"}});
}

}  // namespace
}  // namespace geckoprof
