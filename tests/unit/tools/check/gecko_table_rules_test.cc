#include "tools/check/gecko_table_rules.h"

#include "tests/unit/tools/check/valid_profile_text.h"

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

}  // namespace
}  // namespace geckoprof
