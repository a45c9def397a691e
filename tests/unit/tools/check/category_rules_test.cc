#include "tools/check/category_rules.h"

#include "tests/unit/tools/check/valid_profile_text.h"

namespace geckoprof {
namespace {

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

}  // namespace
}  // namespace geckoprof
