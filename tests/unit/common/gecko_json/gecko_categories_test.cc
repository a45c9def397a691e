#include "geckoprof/gecko_json/gecko_categories.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "geckoprof/json/json_writer.h"

namespace geckoprof {
namespace {

using Rows = std::vector<CategoryRow>;

TEST_CASE("categories of several processes are one list, by name") {
  GeckoCategories categories(Rows({{"A", "blue", {"Other"}}, {"B", "grey", {"Other", "Inner"}}}));
  CHECK(categories.AddAll({{"C", "red", {}}, {"B", "grey", {"Other"}}, {"A", "blue", {"Other", "New"}}}) ==
        std::vector<int32_t>{4, 1, 0});
  REQUIRE(categories.rows().size() == 5);
  CHECK(categories.rows()[0].subcategories == std::vector<std::string>{"Other", "New"});    // those of both
  CHECK(categories.rows()[1].subcategories == std::vector<std::string>{"Other", "Inner"});  // stays
  CHECK(categories.rows()[4].subcategories == std::vector<std::string>{"Other"});           // never empty
}

TEST_CASE("there is always a grey category") {
  CHECK(GeckoCategories(Rows({{"A", "blue", {}}, {"B", "grey", {}}, {"C", "grey", {}}})).fallback() == 1);
  const GeckoCategories without(Rows({{"A", "blue", {}}}));
  CHECK(without.fallback() == 1);
  CHECK(without.rows()[1].color == "grey");
  CHECK(GeckoCategories(Rows()).fallback() == 0);
}

TEST_CASE("a subcategory that its category does not have is the first") {
  const CategoryRow own = {"A", "grey", {"Other", "Inner"}};
  const GeckoCategories categories(Rows({own}));
  CHECK(categories.Subcategory(0, own, 1) == 1);
  CHECK(categories.Subcategory(0, own, 2) == 0);
  CHECK(categories.Subcategory(0, own, -1) == 0);
}

TEST_CASE("subcategories that two processes added in another order are told apart by name") {
  const CategoryRow first = {"A", "grey", {"Other", "Load", "Save"}};
  const CategoryRow second = {"A", "grey", {"Other", "Save", "Print"}};
  GeckoCategories categories(Rows({first}));
  CHECK(categories.Add(second) == 0);
  CHECK(categories.rows()[0].subcategories == std::vector<std::string>{"Other", "Load", "Save", "Print"});
  CHECK(categories.Subcategory(0, second, 1) == 2);
  CHECK(categories.Subcategory(0, second, 2) == 3);
  CHECK(categories.Subcategory(0, first, 1) == 1);
}

TEST_CASE("categories as JSON") {
  std::string text;
  JsonWriter writer(StringSink(&text));
  WriteCategories(GeckoCategories(Rows({{"A", "grey", {"Other", "Inner"}}})).rows(), writer);
  REQUIRE(writer.Finish());
  CHECK(text ==
        R"([{"name":"A","color":"grey","subcategories":["Other","Inner"]},)"
        R"({"name":"Idle","color":"transparent","subcategories":["Other","lock","condition","sleep","poll","file",)"
        R"("socket","pipe","child","page fault"]},)"
        R"({"name":"Waiting for a core","color":"red","subcategories":["Other"]}])");
}

TEST_CASE("what a thread waits for is a subcategory of Idle, wherever that is in the list") {
  const GeckoCategories categories(Rows({{"A", "grey", {}}, {"Idle", "transparent", {"Other", "own"}}}));
  const auto place_of = [&](SampleState state, WaitCause cause) {
    SampleRow row;
    row.state = state;
    row.cause = cause;
    return categories.PlaceOf(StateLook::Of(row));
  };
  for (uint8_t number = 0; number < kWaitCauseNames.size(); ++number) {
    const auto cause = static_cast<WaitCause>(number);
    const GeckoCategories::Place place = place_of(SampleState::kWaiting, cause);
    const CategoryRow& row = categories.rows()[static_cast<size_t>(place.category)];
    CHECK(row.name == "Idle");
    const bool is_named = cause != WaitCause::kNone && cause != WaitCause::kOther;
    CHECK(row.subcategories[static_cast<size_t>(place.subcategory)] == (is_named ? NameOf(cause) : "Other"));
  }
  const GeckoCategories::Place ready = place_of(SampleState::kReady, WaitCause::kNone);
  CHECK(categories.rows()[static_cast<size_t>(ready.category)].name == "Waiting for a core");
  CHECK(ready.subcategory == 0);
}

}  // namespace
}  // namespace geckoprof
