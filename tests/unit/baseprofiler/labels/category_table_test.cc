#include "labels/category_table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/read_back.h"

namespace geckoprof {
namespace {

struct Table {
  geckoprof_category_result Add(const std::string& name, const char* color) {
    return table->Add(name.c_str(), color, pair);
  }
  geckoprof_category_result AddSubcategory(uint32_t category_pair, const std::string& name) {
    return table->AddSubcategory(category_pair, name.c_str(), pair);
  }
  std::unique_ptr<CategoryTable> table = std::make_unique<CategoryTable>();
  uint32_t pair = 0;
};

const CategoryRow* Find(const ProcessProfile& profile, std::string_view name) {
  for (const CategoryRow& row : profile.categories) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

TEST_CASE_METHOD(Table, "categories: the same name is the same category, with the color that it had first") {
  CHECK(Add("Physics", "magenta") == GECKOPROF_CATEGORY_ADDED);
  const uint32_t physics = pair;
  CHECK((IsOwnCategory(physics >> 8) && (physics & 0xff) == 0));
  CHECK(Add("Sound", "blue") == GECKOPROF_CATEGORY_ADDED);
  CHECK(pair != physics);
  CHECK(Add("Physics", "magenta") == GECKOPROF_CATEGORY_THERE);
  CHECK(pair == physics);
  CHECK(Add("Physics", "green") == GECKOPROF_CATEGORY_OTHER_COLOR);
  CHECK(pair == physics);
  CHECK(Add("Network", "lightblue") == GECKOPROF_CATEGORY_THERE);
  CHECK(pair == GECKOPROF_CATEGORY_NETWORK);
  CHECK(Add("Network", "red") == GECKOPROF_CATEGORY_OTHER_COLOR);
}

TEST_CASE_METHOD(Table, "categories: what the viewer would not take is refused, and stands for Other") {
  CHECK(Add("Ink", "ink") == GECKOPROF_CATEGORY_UNKNOWN_COLOR);
  CHECK(pair == GECKOPROF_CATEGORY_OTHER);
  CHECK(table->Add("No color", nullptr, pair) == GECKOPROF_CATEGORY_UNKNOWN_COLOR);
  CHECK(table->Add(nullptr, "blue", pair) == GECKOPROF_CATEGORY_BAD_NAME);
  CHECK(Add("", "blue") == GECKOPROF_CATEGORY_BAD_NAME);
  CHECK(Add(std::string(64, 'x'), "blue") == GECKOPROF_CATEGORY_BAD_NAME);
  CHECK(Add("\xff\xfe", "blue") == GECKOPROF_CATEGORY_BAD_NAME);
  CHECK(Add(std::string(63, 'x'), "blue") == GECKOPROF_CATEGORY_ADDED);
  CHECK(Add("\xc3\xa9", "blue") == GECKOPROF_CATEGORY_ADDED);
}

TEST_CASE_METHOD(Table, "categories: there is an end to them") {
  for (uint32_t i = 0; i < kMaxOwnCategories; ++i) {
    REQUIRE(Add("category " + std::to_string(i), "blue") == GECKOPROF_CATEGORY_ADDED);
  }
  CHECK(Add("one more", "blue") == GECKOPROF_CATEGORY_FULL);
  CHECK(pair == GECKOPROF_CATEGORY_OTHER);
  CHECK(Add("category 7", "blue") == GECKOPROF_CATEGORY_THERE);
  TestSegment test;
  table->WriteTo(test.segment());
  const ProcessProfile profile = ReadBack(test);
  CHECK(profile.categories.size() == kBuiltinCategoryCount + kMaxOwnCategories);
  const auto refused = std::find_if(profile.losses.begin(), profile.losses.end(),
                                    [](const LossRow& loss) { return loss.what == "refused-category"; });
  REQUIRE(refused != profile.losses.end());
  CHECK(refused->count == 1);
}

TEST_CASE_METHOD(Table, "subcategories: of the program's own categories and of the list's") {
  REQUIRE(Add("Physics", "magenta") == GECKOPROF_CATEGORY_ADDED);
  const uint32_t physics = pair;
  CHECK(AddSubcategory(physics, "Collisions") == GECKOPROF_CATEGORY_ADDED);
  const uint32_t collisions = pair;
  CHECK((collisions >> 8 == physics >> 8 && collisions != physics));
  CHECK(AddSubcategory(collisions, "Fluids") == GECKOPROF_CATEGORY_ADDED);  // a pair stands for its category
  CHECK(pair != collisions);
  CHECK(AddSubcategory(physics, "Collisions") == GECKOPROF_CATEGORY_THERE);
  CHECK(pair == collisions);
  CHECK(AddSubcategory(physics, "Other") == GECKOPROF_CATEGORY_THERE);
  CHECK(pair == physics);
  CHECK(AddSubcategory(GECKOPROF_CATEGORY_GRAPHICS, "Layer building") == GECKOPROF_CATEGORY_THERE);
  CHECK(pair == GECKOPROF_CATEGORY_GRAPHICS_LayerBuilding);
  CHECK(AddSubcategory(GECKOPROF_CATEGORY_GRAPHICS, "Shadows") == GECKOPROF_CATEGORY_ADDED);
  CHECK(pair >> 8 == GECKOPROF_CATEGORY_GRAPHICS >> 8);
  const uint32_t shadows = pair;
  CHECK(AddSubcategory(GECKOPROF_CATEGORY_GRAPHICS, "Lights") == GECKOPROF_CATEGORY_ADDED);
  CHECK((pair >> 8 == GECKOPROF_CATEGORY_GRAPHICS >> 8 && pair != shadows));
  CHECK(AddSubcategory(GECKOPROF_CATEGORY_GRAPHICS, "Collisions") == GECKOPROF_CATEGORY_ADDED);  // not physics'
  CHECK((pair >> 8 == GECKOPROF_CATEGORY_GRAPHICS >> 8 && pair != shadows));
  CHECK(AddSubcategory(300 << 8, "Of nobody") == GECKOPROF_CATEGORY_NONE);
  CHECK(pair == 300 << 8);
  CHECK(AddSubcategory(UINT32_MAX, "Of nobody") == GECKOPROF_CATEGORY_NONE);
  CHECK(AddSubcategory(physics, "") == GECKOPROF_CATEGORY_BAD_NAME);
  for (uint32_t i = 2; i < kMaxOwnSubcategories; ++i) {
    REQUIRE(AddSubcategory(physics, "number " + std::to_string(i)) == GECKOPROF_CATEGORY_ADDED);
  }
  CHECK(AddSubcategory(physics, "one more") == GECKOPROF_CATEGORY_FULL);
  CHECK(pair == physics);
}

TEST_CASE_METHOD(Table, "a recording has what was added before it, and what is added meanwhile, once") {
  REQUIRE(Add("Before", "blue") == GECKOPROF_CATEGORY_ADDED);
  REQUIRE(AddSubcategory(pair, "Inner") == GECKOPROF_CATEGORY_ADDED);
  for (int round = 0; round < 2; ++round) {
    TestSegment test;
    table->WriteTo(test.segment());
    table->WriteTo(test.segment());
    Add("Meanwhile", "green");
    table->WriteTo(test.segment());
    const ProcessProfile profile = ReadBack(test);
    CHECK(profile.categories.size() == kBuiltinCategoryCount + 2);
    const CategoryRow* const before = Find(profile, "Before");
    REQUIRE(before != nullptr);
    CHECK(before->subcategories == std::vector<std::string>{"Other", "Inner"});
    REQUIRE(Find(profile, "Meanwhile") != nullptr);
    CHECK(Find(profile, "Meanwhile")->color == "green");
  }
}

TEST_CASE_METHOD(Table, "a forked child's recording has all of it, whoever held the lock") {
  TestSegment parents;
  REQUIRE(Add("Before", "blue") == GECKOPROF_CATEGORY_ADDED);
  table->WriteTo(parents.segment());
  table->AfterForkInChild();
  TestSegment childs;
  table->WriteTo(childs.segment());
  CHECK(Find(ReadBack(childs), "Before") != nullptr);
}

TEST_CASE_METHOD(Table, "threads that add the same names at a time get the same numbers") {
  constexpr int kThreads = 4, kNames = 100;
  std::vector<uint32_t> pairs[kThreads];
  std::vector<std::thread> threads;
  for (auto& own : pairs) {
    threads.emplace_back([&own, this] {
      for (int i = 0; i < kNames; ++i) {
        uint32_t got = 0;
        table->Add(("name " + std::to_string(i)).c_str(), "blue", got);
        own.push_back(got);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(std::set<uint32_t>(pairs[0].begin(), pairs[0].end()).size() == kNames);
  for (const auto& own : pairs) CHECK(own == pairs[0]);
}

}  // namespace
}  // namespace geckoprof
