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

TEST_CASE("categories: colours, a grey one, subcategories that begin with Other") {
  RequireFaults(
      kValidGecko,
      {{R"("color":"grey","subcategories":["Other","Deep"]}],
 "markerSchema")",
        R"("color":"blue","subcategories":["Other","Deep"]}],"markerSchema")",
        "$.meta.categories: no category is \"grey\": the viewer takes the first grey one as default"},
       {R"("subcategories":["Other","Deep"]}],
 "markerSchema")",
        R"("subcategories":["Other",5]}],"markerSchema")", "$.meta.categories[1].subcategories[1]: is no string"},
       {R"(,"subcategories":["Other","Deep"]}],
 "markerSchema")",
        R"(}],"markerSchema")", "$.meta.categories[1].subcategories: is missing"}});
  RequireWarnings(
      kValidGecko,
      {{R"("color":"transparent","subcategories":["Other"]},
  {"name":"User","color":"grey","subcategories":["Other","Deep"]}],
 "markerSchema")",
        R"("color":"pink","subcategories":["Other"]},{"name":"User","color":"grey","subcategories":["Other","Deep"]}],"markerSchema")",
        "$.meta.categories[0].color: \"pink\" is no colour of the viewer, which draws grey instead"}});
  RequireWarnings(kValidProcessed, {{R"("subcategories":["Other"])", R"("subcategories":["Deep"])",
                                     "$.meta.categories[0].subcategories[0]: is \"Deep\", not \"Other\""}});
  RequireFaults(kValidProcessed,
                {{R"("subcategories":["Other"])", R"("subcategories":[])",
                  "$.shared.frameTable.subcategory[0]: subcategory index 0 is out of range (there is none)"},
                 {R"("color":"grey")", R"("color":7)",
                  "$.meta.categories: no category is \"grey\": the viewer takes the first grey one as default"}});
}

TEST_CASE("Firefox's category Test may lack Other") {
  RequireWarnings(kValidProcessed, {{R"({"name":"Other","color":"grey","subcategories":["Other"]})",
                                     R"({"name":"Test","color":"grey","subcategories":["Test"]})",
                                     "$.meta.categories[0].subcategories[0]: is \"Test\", not \"Other\""}});
}

TEST_CASE("a frame's category and subcategory") {
  RequireFaults(kValidGecko, {{"[2,true,0,null,7,8,1,1]", "[2,true,0,null,7,8,2,1]",
                               "$.threads[0].frameTable.data[2][6]: category index 2 is out of range (0..1)"},
                              {"[2,true,0,null,7,8,1,1]", "[2,true,0,null,7,8,1,2]",
                               "$.threads[0].frameTable.data[2][7]: subcategory index 2 is out of range (0..1)"}});
  RequireWarnings(
      kValidGecko,
      {{"[2,true,0,null,7,8,1,1]", "[2,true,0,null,7,8,1]",
        "$.threads[0].frameTable.data[2][7]: is null though the frame has a category: the viewer takes the first one"},
       {"[2,true,0,null,7,8,1,1]", "[2,true,0,null,7,8,null,1]",
        "$.threads[0].frameTable.data[2][7]: a subcategory without a category"}});
}

TEST_CASE("a subprocess uses its parent's list") {
  RequireFaults(kValidGecko,
                {{R"("subcategories":["Other","Deep"]}]},
 "threads":[{"processType":"tab")",
                  R"("subcategories":["Other","Far"]}]}, "threads":[{"processType":"tab")",
                  "$.processes[0].meta.categories[1]: differs from the parent's list, in which its number is "
                  "looked up"}});
}

TEST_CASE("a subprocess's list may be shorter than its parent's") {
  RequireWarnings(kValidGecko, {{R"(,
  {"name":"User","color":"grey","subcategories":["Other","Deep"]}]},
 "threads":[{"processType":"tab")",
                                 R"(]}, "threads":[{"processType":"tab")",
                                 "$.processes[0].meta.categories: differs in length from the parent's list, in which "
                                 "its numbers are looked up"}});
}

TEST_CASE("libraries are sorted, disjoint and named") {
  RequireFaults(
      kValidGecko,
      {{"\"end\":8192", "\"end\":4095", "$.libs[0].end: 4095 is below the start (4096)"},
       {"\"end\":8192", "\"end\":12289", "$.libs[1].start: 12288 lies in the library before (up to 12289)"},
       {"\"start\":12288,\"end\":16384", "\"start\":256,\"end\":512",
        "$.libs[1].start: 256 is below that of the row before (4096)"},
       {"\"start\":4096", "\"start\":-1", "$.libs[0].start: -1 is no address (a whole number from 0 to 2^53)"},
       {"\"start\":4096", "\"start\":1e17", "$.libs[0].start: 1e+17 is no address (a whole number from 0 to 2^53)"},
       {"\"start\":4096", "\"start\":\"0x1000\"", "$.libs[0].start: is string, not number"},
       {"\"start\":4096,", "", "$.libs[0].start: is missing"},
       {"\"end\":8192,\"offset\":0", "\"end\":8192", "$.libs[0].offset: is missing"}});
  RequireWarnings(
      kValidGecko,
      {{"\"debugName\":\"libc\"", "\"debugName\":4", "$.libs[1].debugName: is number, not string"},
       {"ABEFD98494C1DB7B0146A054B0B08C320", "abefd98494c1db7b0146a054b0b08c320",
        "$.libs[0].breakpadId: \"abefd98494c1db7b0146a054b0b08c320\" is no breakpad id (32 upper-case hex digits "
        "and an age)"},
       {"ABEFD98494C1DB7B0146A054B0B08C320", "ABEF0",
        "$.libs[0].breakpadId: \"ABEF0\" is no breakpad id (32 upper-case hex digits and an age)"},
       {"84d9efabc194", "84d9efabc19", "$.libs[0].codeId: \"84d9efabc19\" is no build id in hex"}});
  RequireWarnings(kValidProcessed, {{"\"path\":\"/demo\",", "", "$.libs[0].path: is missing"}});
}

TEST_CASE("a library of a processed profile is there once") {
  const std::string lib =
      "\"path\":\"/demo\",\"debugName\":\"demo\",\"debugPath\":\"/demo\",\n "
      "\"breakpadId\":\"ABEFD98494C1DB7B0146A054B0B08C320\",\"codeId\":null,\"arch\":\"x86_64\"}";
  const auto with = [&lib](const char* name) {
    return CheckText(Replaced(kValidProcessed, lib, lib + ",{\"name\":\"" + name + "\"," + lib)).faults.warnings();
  };
  CHECK(with("demo") == std::vector<std::string>{"$.libs[1]: is the same library as row 0"});
  CHECK(with("other").empty());
}

TEST_CASE("a library without a build id is only odd") {
  RequireWarnings(kValidProcessed,
                  {{"ABEFD98494C1DB7B0146A054B0B08C320", "",
                    "$.libs[0].breakpadId: is empty: the library has no build id, so it has no symbols"}});
}

}  // namespace
}  // namespace geckoprof
