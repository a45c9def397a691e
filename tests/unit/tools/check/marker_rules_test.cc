#include "tools/check/marker_rules.h"

#include <string>
#include <utility>

#include "tests/unit/tools/check/valid_profile_text.h"

namespace geckoprof {
namespace {

TEST_CASE("a marker's name, phase, times and category") {
  RequireFaults(
      kValidGecko,
      {{"[3,20,0,0,1]", "[4,20,0,0,1]", "$.threads[0].markers.data[0][0]: string index 4 is out of range (0..3)"},
       {"[3,20,0,0,1]", "[3,20,0,4,1]", "$.threads[0].markers.data[0][3]: phase index 4 is out of range (0..3)"},
       {"[3,20,0,0,1]", "[3,20,0,0,2]", "$.threads[0].markers.data[0][4]: category index 2 is out of range (0..1)"},
       {"[3,20,0,0,1]", "[3,20,0,0]", "$.threads[0].markers.data[0][4]: is missing"},
       {"[3,20,0,0,1]", "[3,null,null,0,1]", "$.threads[0].markers.data[0][1]: is null, not number"},
       {"[3,21,22,1,1,", "[3,21,20.5,1,1,", "$.threads[0].markers.data[1][2]: end 20.5 is earlier than the start (21)"},
       {"[3,0,24,3,1]", "[3,0,null,3,1]", "$.threads[0].markers.data[3][2]: is null, not number"}});
  RequireWarnings(
      kValidGecko,
      {{"[3,20,0,0,1]", "[3,20,21,0,1]", "$.threads[0].markers.data[0][2]: an instant has an end"},
       {"[3,23,0,2,1]", "[3,23,24,2,1]", "$.threads[0].markers.data[2][2]: an interval's start has an end"},
       {"[3,0,24,3,1]", "[3,23,24,3,1]", "$.threads[0].markers.data[3][1]: an interval's end has a start"}});
}

TEST_CASE("a time before the process's begin is only odd") {
  RequireWarnings(
      kValidGecko,
      {{"[3,20,0,0,1]", "[3,-20,0,0,1]", "$.threads[0].markers.data[0][1]: time -20 is before the process's begin"},
       {"[3,21,22,1,1,", "[3,-21,22,1,1,", "$.threads[0].markers.data[1][1]: time -21 is before the process's begin"}});
  RequireFaults(kValidGecko, {{"[3,21,22,1,1,", "[3,-21,-22,1,1,",
                               "$.threads[0].markers.data[1][2]: end -22 is earlier than the start (-21)"}});
}

TEST_CASE("a payload fits its schema") {
  RequireFaults(kValidGecko,
                {{"\"id\":2", "\"id\":4", "$.threads[0].markers.data[1][5].id: string index 4 is out of range (0..3)"},
                 {"\"id\":2", "\"id\":\"x\"", "$.threads[0].markers.data[1][5].id: is string, not index"},
                 {"\"list\":[\"a\"]", "\"list\":\"a\"",
                  "$.threads[0].markers.data[1][5].list: is string, but the format wants array"},
                 {"\"who\":\"12\"", "\"who\":[]",
                  "$.threads[0].markers.data[1][5].who: is array, but the format wants number or string"},
                 {"[[\"c\",\"d\"]]", "[[\"c\"]]", "$.threads[0].markers.data[1][5].rows[0]: is no row of 2 columns"}});
  RequireWarnings(
      kValidGecko,
      {{"{\"type\":\"Text\",\"name\":\"n\"", "{\"name\":\"n\"", "$.threads[0].markers.data[1][5].type: is missing"},
       {"{\"type\":\"Text\",", "{\"type\":\"Txt\",",
        "$.threads[0].markers.data[1][5].type: \"Txt\" is no type of meta.markerSchema"},
       {"\"name\":\"n\"", "\"name\":[]", "$.threads[0].markers.data[1][5].name: is array, but the format wants string"},
       {"\"n\":3", "\"n\":3.5", "$.threads[0].markers.data[1][5].n: 3.5 is shown as a whole number"},
       {"\"n\":3", "\"n\":\"3\"", "$.threads[0].markers.data[1][5].n: is string, but the format wants number"},
       {"\"ms\":1.5", "\"ms\":true", "$.threads[0].markers.data[1][5].ms: is boolean, but the format wants number"},
       {"[[\"c\",\"d\"]]", "[[\"c\",[]]]",
        "$.threads[0].markers.data[1][5].rows[0][1]: is array, but the format wants string"}});
  RequireFaults(kValidProcessed,
                {{"\"data\":[null,", "\"data\":[5,", "$.threads[0].markers.data[0]: is number, not object"}});
}

TEST_CASE("what Firefox writes beside the schema is only odd") {
  RequireWarnings(kValidGecko, {
                                   {"\"name\":\"n\"", "\"name\":5",
                                    "$.threads[0].markers.data[1][5].name: is number, but the format wants string"},
                                   {"{\"type\":\"Text\",", "{\"type\":\"FileIO\",",
                                    "$.threads[0].markers.data[1][5].type: \"FileIO\" is no type of meta.markerSchema"},
                               });
}

TEST_CASE("types whose innards the viewer takes for granted") {
  RequireFaults(
      kValidGecko,
      {{"{\"type\":\"Text\",", "{\"type\":\"GCSlice\",",
        "$.threads[0].markers.data[1][5]: a GCSlice without timings: the viewer looks into them"},
       {"{\"type\":\"Text\",", "{\"type\":\"GCMajor\",\"timings\":{\"status\":\"odd\"},",
        "$.threads[0].markers.data[1][5].timings.status: is neither \"completed\" nor \"aborted\""},
       {"{\"type\":\"Text\",", "{\"type\":\"IPC\",", "$.threads[0].markers.data[1][5].startTime: is missing"}});
}

TEST_CASE("what Firefox writes in fields of numbers is only odd") {
  RequireWarnings(kValidGecko, {{"\"n\":3", "\"n\":true",
                                 "$.threads[0].markers.data[1][5].n: is boolean, but the format wants number"}});
  RequireFaults(
      kValidGecko,
      {{"\"n\":3", "\"n\":\"three\"", "$.threads[0].markers.data[1][5].n: is string, but the format wants number"},
       {"\"n\":3", "\"n\":[3]", "$.threads[0].markers.data[1][5].n: is array, but the format wants number"},
       {"\"name\":\"n\"", "\"name\":{}",
        "$.threads[0].markers.data[1][5].name: is object, but the format wants string"}});
}

TEST_CASE("the viewer shows 32 bits of a hexadecimal number") {
  const std::string hex =
      Replaced(kValidGecko, "{\"key\":\"n\",\"format\":\"integer\"}", "{\"key\":\"n\",\"format\":\"hexadecimal\"}");
  CHECK(CheckText(Replaced(hex, "\"n\":3", "\"n\":4294967295")).faults.fault_count() == 0);
  CHECK(CheckText(Replaced(hex, "\"n\":3", "\"n\":4294967296")).faults.fault_count() == 1);
  CHECK(CheckText(Replaced(hex, "\"n\":3", "\"n\":-1")).faults.fault_count() == 1);
}

TEST_CASE("a boolean has no format of its own, and the viewer has schemas of its own") {
  const size_t before = CheckText(kValidGecko).faults.warning_count();
  for (const auto& [from, to] :
       {std::pair("\"name\":\"n\"", "\"name\":false"), std::pair("{\"type\":\"Text\",", "{\"type\":\"Network\","),
        std::pair("{\"type\":\"Text\",", "{\"type\":\"CompositorScreenshot\","),
        std::pair("{\"type\":\"Text\",", "{\"type\":\"IPC\",\"startTime\":1,")}) {
    INFO(to);
    const ProfileVerdict verdict = CheckText(Replaced(kValidGecko, from, to));
    CHECK(verdict.faults.faults() == std::vector<std::string>());
    CHECK(verdict.faults.warning_count() == before);
  }
}

}  // namespace
}  // namespace geckoprof
