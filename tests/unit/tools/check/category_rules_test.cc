#include "tools/check/category_rules.h"

#include "tests/unit/tools/check/valid_profile_text.h"

namespace geckoprof {
namespace {

TEST_CASE("categories: colours, a grey one, subcategories that begin with Other") {
  RequireFaults(
      kValidGecko,
      {
          {R"("color":"transparent","subcategories":["Other"]},
  {"name":"User","color":"grey","subcategories":["Other","Deep"]}],
 "markerSchema")",
           R"("color":"pink","subcategories":["Other"]},{"name":"User","color":"grey","subcategories":["Other","Deep"]}],"markerSchema")",
           "$.meta.categories[0].color: \"pink\" is no colour of the viewer"},
          {R"("color":"grey","subcategories":["Other","Deep"]}],
 "markerSchema")",
           R"("color":"blue","subcategories":["Other","Deep"]}],"markerSchema")",
           "$.meta.categories: no category is \"grey\": the viewer takes the first grey one as default"},
          {R"("subcategories":["Other","Deep"]}],
 "markerSchema")",
           R"("subcategories":["Deep","Other"]}],"markerSchema")",
           "$.meta.categories[1].subcategories[0]: is \"Deep\", not \"Other\""},
          {R"("subcategories":["Other","Deep"]}],
 "markerSchema")",
           R"("subcategories":["Other",5]}],"markerSchema")", "$.meta.categories[1].subcategories[1]: is no string"},
          {R"(,"subcategories":["Other","Deep"]}],
 "markerSchema")",
           R"(}],"markerSchema")", "$.meta.categories[1].subcategories: is missing"},
      });
  RequireFaults(kValidProcessed,
                {
                    {R"("subcategories":["Other"])", R"("subcategories":[])",
                     "$.meta.categories[0].subcategories: is empty: the first entry is \"Other\""},
                    {R"("color":"grey")", R"("color":7)", "$.meta.categories[0].color: is number, not string"},
                });
}

TEST_CASE("Firefox's category Test may lack Other") {
  RequireWarnings(kValidProcessed, {{R"({"name":"Other","color":"grey","subcategories":["Other"]})",
                                     R"({"name":"Test","color":"grey","subcategories":["Test"]})",
                                     "$.meta.categories[0].subcategories[0]: is \"Test\", not \"Other\""}});
}

TEST_CASE("a frame's category and subcategory") {
  RequireFaults(kValidGecko, {
                                 {"[2,true,0,null,7,8,1,1]", "[2,true,0,null,7,8,2,1]",
                                  "$.threads[0].frameTable.data[2][6]: category index 2 is out of range (0..1)"},
                                 {"[2,true,0,null,7,8,1,1]", "[2,true,0,null,7,8,1,2]",
                                  "$.threads[0].frameTable.data[2][7]: subcategory index 2 is out of range (0..1)"},
                                 {"[2,true,0,null,7,8,1,1]", "[2,true,0,null,7,8,1]",
                                  "$.threads[0].frameTable.data[2][7]: is null though the frame has a category"},
                                 {"[2,true,0,null,7,8,1,1]", "[2,true,0,null,7,8,null,1]",
                                  "$.threads[0].frameTable.data[2][7]: a subcategory without a category"},
                             });
}

TEST_CASE("a subprocess uses its parent's list") {
  RequireFaults(kValidGecko,
                {{R"("subcategories":["Other","Deep"]}]},
 "threads":[{"processType":"tab")",
                  R"("subcategories":["Other","Far"]}]}, "threads":[{"processType":"tab")",
                  "$.processes[0].meta.categories[1]: differs from the parent's list, in which its number is "
                  "looked up"}});
}

}  // namespace
}  // namespace geckoprof
