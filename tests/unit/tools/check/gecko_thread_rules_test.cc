#include "tests/unit/tools/check/valid_profile_text.h"
#include "tools/check/gecko_rules.h"

namespace geckoprof {
namespace {

TEST_CASE("a table's schema and rows") {
  RequireFaults(
      kValidGecko,
      {{"\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0],[0,1],[1,2]]},", "",
        "$.threads[0].stackTable: is missing"},
       {"{\"time\":0,\"count\":1,\"number\":2}", "{\"time\":0,\"count\":1,\"number\":1}",
        "$.counters[0].samples.schema.number: column 1 is taken by another name"},
       {"\"data\":[[10,0,0],[11,5,1]]", "\"data\":[[10,0,0],7]", "$.counters[0].samples.data[1]: is number, not array"},
       {"\"data\":[[10,0,0],[11,5,1]]", "\"data\":{}", "$.counters[0].samples.data: is object, not array"}});
  RequireWarnings(kValidGecko, {{"{\"time\":0,\"count\":1,\"number\":2}", "{\"time\":0,\"count\":1,\"number\":3}",
                                 "$.counters[0].samples.schema.number: column 3 leaves out a column"},
                                {"{\"id\":0,\"filename\":1}", "{\"filename\":1}", "$.sources.schema.id: is missing"},
                                {"{\"id\":0,\"filename\":1}", "{\"id\":0}", "$.sources.schema.filename: is missing"},
                                {"\"data\":[[10,0,0],[11,5,1]]", "\"data\":[[10,0,0],[11,5,1,4]]",
                                 "$.counters[0].samples.data[1]: has 4 cells, the schema 3 columns"},
                                {"\"schema\":{\"id\":0,\"filename\":1},", "", "$.sources.schema: is missing"}});
}

TEST_CASE("a thread's keys") {
  RequireFaults(kValidGecko, {{"\"name\":\"worker\",", "", "$.threads[1].name: is missing"},
                              {"[\"(root)\",\"0x1010\",\"Label\",\"Marker\"]", "[\"(root)\",\"0x1010\",\"Label\",4]",
                               "$.threads[0].stringTable[3]: is number, not string"}});
  RequireWarnings(kValidGecko, {{"\"tid\":101", "\"tid\":\"101\"", "$.threads[1].tid: is string, not number"},
                                {"\"tid\":101", "\"tid\":1.5", "$.threads[1].tid: id 1.5 is no whole number"}});
}

TEST_CASE("a thread without a name is only odd") {
  RequireWarnings(kValidGecko, {{"\"name\":\"worker\"", "\"name\":\"\"", "$.threads[1].name: is empty"}});
}

TEST_CASE("frames") {
  RequireFaults(kValidGecko,
                {{"[2,true,0,null,7,8,1,1]", "[4,true,0,null,7,8,1,1]",
                  "$.threads[0].frameTable.data[2][0]: string index 4 is out of range (0..3)"},
                 {"\"implementation\":3,\"line\":4,\"column\":5,", "\"implementation\":3,\"lin\":4,\"column\":5,",
                  "$.threads[0].frameTable.schema.line: is missing"}});
  RequireWarnings(kValidGecko,
                  {{"\"0x1010\"", "\"0x10z0\"", "$.threads[0].frameTable.data[1][0]: \"0x10z0\" is no address"},
                   {"[2,true,0,null,7,8,1,1]", "[2,1,0,null,7,8,1,1]",
                    "$.threads[0].frameTable.data[2][1]: relevantForJS is no boolean"},
                   {"[2,true,0,null,7,8,1,1]", "[2,true,0,null,-7,8,1,1]",
                    "$.threads[0].frameTable.data[2][4]: position -7 is negative"},
                   {"[2,true,0,null,7,8,1,1]", "[2,true,0,null,7.5,8,1,1]",
                    "$.threads[0].frameTable.data[2][4]: position 7.5 is no whole number"}});
}

TEST_CASE("stacks name earlier rows and existing frames") {
  RequireFaults(kValidGecko, {{"[[null,0],[0,1],[1,2]]", "[[null,0],[0,1],[3,2]]",
                               "$.threads[0].stackTable.data[2][0]: stack index 3 is out of range (0..2)"},
                              {"[[null,0],[0,1],[1,2]]", "[[null,0],[2,1],[1,2]]",
                               "$.threads[0].stackTable.data[1][0]: prefix 2 is not an earlier row"},
                              {"[[null,0],[0,1],[1,2]]", "[[null,0],[0,1],[2,2]]",
                               "$.threads[0].stackTable.data[2][0]: prefix 2 is not an earlier row"},
                              {"[[null,0],[0,1],[1,2]]", "[[null,0],[0,1],[1,3]]",
                               "$.threads[0].stackTable.data[2][1]: frame index 3 is out of range (0..2)"}});
  RequireWarnings(kValidGecko, {{"[[null,0],[0,1],[1,2]]", "[[null,0],[0,1],[0,1]]",
                                 "$.threads[0].stackTable.data[2]: is in the table for the second time"}});
}

TEST_CASE("samples") {
  RequireFaults(
      kValidGecko,
      {{"[[1,10.25],", "[[3,10.25],", "$.threads[0].samples.data[0][0]: stack index 3 is out of range (0..2)"},
       {"[[1,10.25],", "[[1],", "$.threads[0].samples.data[0][1]: is missing"},
       {"[2,11.5,0,null,500]", "[2,9.5,0,null,500]",
        "$.threads[0].samples.data[1][1]: time 9.5 is earlier than that of the row before (10.25)"},
       {"[2,11.5,0,null,500]", "[2,11.5,0,null,-5]", "$.threads[0].samples.data[1][4]: threadCPUDelta -5 is negative"},
       {"[2,11.5,0,null,500]", "[2,11.5,\"x\",null,5]", "$.threads[0].samples.data[1][2]: is string, not number"},
       {"\"eventDelay\":2,\"argumentValues\":3", "\"delay\":2,\"argumentValues\":3",
        "$.threads[0].samples.schema.eventDelay: is missing"},
       {"\"eventDelay\":2,\"argumentValues\":3", "\"argumentValues\":3",
        "$.threads[0].samples.schema.eventDelay: is missing"}});
  RequireWarnings(kValidGecko,
                  {{"[[1,10.25],", "[[1,-10.25],", "$.threads[0].samples.data[0][1]: time -10.25 is negative"}});
  RequireWarnings(kValidGecko, {{"[2,11.5,0,null,500]", "[2,11.5,-0.5,null,500]",
                                 "$.threads[0].samples.data[1][2]: eventDelay -0.5 is negative"}});
  CHECK(CheckText(
            Replaced(kValidGecko, "\"eventDelay\":2,\"argumentValues\":3", "\"responsiveness\":2,\"argumentValues\":3"))
            .faults.fault_count() == 0);
}

TEST_CASE("a marker's stack is one sample of the enclosing thread") {
  RequireFaults(kValidGecko,
                {{"\"data\":[[2,19]]", "\"data\":[[3,19]]",
                  "$.threads[0].markers.data[1][5].stack.samples.data[0][0]: stack index 3 is out of range (0..2)"}});
  RequireWarnings(kValidGecko, {{"\"data\":[[2,19]]", "\"data\":[]",
                                 "$.threads[0].markers.data[1][5].stack.samples.data: has 0 rows, not 1"},
                                {"\"data\":[[2,19]]", "\"data\":[[2]]",
                                 "$.threads[0].markers.data[1][5].stack.samples.data[0][1]: is missing"}});
}

}  // namespace
}  // namespace geckoprof
