#include "tools/merge/merged_categories.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

JsonDocument Parsed(const std::string& text) { return *JsonDocument::Parse(text, JsonDocument::Utf8::kStrict); }

TEST_CASE("categories of one name and color are one, with the subcategories of both") {
  const JsonDocument a = Parsed(R"([{"name":"Other","color":"grey","subcategories":["Other"]},)"
                                R"({"name":"IO","color":"blue","subcategories":["Other","Read"]}])");
  const JsonDocument b = Parsed(R"([{"name":"IO","color":"blue","subcategories":["Other","Write","Read"]},)"
                                R"({"name":"IO","color":"red","subcategories":["Other"]},)"
                                R"({"name":"None","color":"grey","subcategories":["Other"]}])");
  MergedCategories merged;
  const CategoryNumbers of_a = merged.Add(a.root()), of_b = merged.Add(b.root());
  merged.Finish();
  REQUIRE(merged.rows().size() == 4);
  CHECK(merged.rows()[1].subcategories == std::vector<std::string>{"Other", "Read", "Write"});
  CHECK(merged.rows()[2].color == "red");
  CHECK(of_b.rows[0].category == 1);
  CHECK(of_b.Subcategory(0, 1) == 2);
  CHECK(of_b.Subcategory(0, 2) == 1);
  CHECK(of_b.rows[1].category == 2);
  CHECK(of_a.fallback == 0);
  CHECK(of_b.fallback == 3);
  CHECK(merged.fallback() == 0);
}

TEST_CASE("numbers without a category are none") {
  MergedCategories merged;
  const JsonDocument document = Parsed(R"([{"name":"IO","color":"blue","subcategories":[]},null,5,-1,0])");
  const CategoryNumbers numbers = merged.Add(document.root());
  CHECK(numbers.Category(document.root().At(2), 7) == 7);
  CHECK(numbers.Category(document.root().At(3), 7) == 7);
  CHECK(numbers.Category(document.root().At(0), 7) == 7);
  CHECK(numbers.Category(document.root().At(4), 7) == 0);
  CHECK(numbers.Subcategory(0, 9) == 0);
  CHECK(numbers.Subcategory(-1, 0) == 0);
}

TEST_CASE("there is a grey category, and each has a subcategory") {
  MergedCategories merged;
  CHECK(merged.Add(JsonView()).fallback == -1);
  merged.Add(Parsed(R"([{"name":"IO","color":"blue","subcategories":[]}])").root());
  merged.Finish();
  REQUIRE(merged.rows().size() == 2);
  CHECK(merged.rows()[0].subcategories == std::vector<std::string>{"Other"});
  CHECK(merged.fallback() == 1);
}

}  // namespace
}  // namespace geckoprof
