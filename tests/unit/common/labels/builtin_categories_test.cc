#include "geckoprof/labels/builtin_categories.h"

#include <catch2/catch.hpp>
#include <iterator>

namespace geckoprof {
namespace {

TEST_CASE("the list is one that the viewer takes: the first grey one is Other, names are unique") {
  uint32_t first_grey = kBuiltinCategoryCount;
  for (uint32_t i = 0; i < kBuiltinCategoryCount; ++i) {
    if (first_grey == kBuiltinCategoryCount && kBuiltinCategories[i].color == "grey") first_grey = i;
    for (uint32_t other = 0; other < i; ++other) CHECK(kBuiltinCategories[other].name != kBuiltinCategories[i].name);
  }
  CHECK(first_grey == kOtherCategory);
  CHECK(kBuiltinCategories[kProfilerCategory].name == "Profiler");
}

TEST_CASE("each category's first subcategory is Other, and no two are of one name") {
  for (const BuiltinCategory& category : kBuiltinCategories) {
    REQUIRE_FALSE(category.subcategories.empty());
    CHECK(category.subcategories[0] == "Other");
    for (size_t i = 0; i < category.subcategories.size(); ++i) {
      for (size_t other = 0; other < i; ++other) CHECK(category.subcategories[other] != category.subcategories[i]);
    }
  }
}

// Numbers are part of the format: segments of earlier versions name categories by them.
TEST_CASE("a category keeps its number for good") {
  constexpr std::string_view kInOrder[] = {"Idle",    "Other",    "Test",  "Network", "Graphics", "IPC",       "Media",
                                           "Storage", "Profiler", "Timer", "Logs",    "Layout",   "JavaScript"};
  for (size_t i = 0; i < std::size(kInOrder); ++i) CHECK(kBuiltinCategories[i].name == kInOrder[i]);
  CHECK(kBuiltinCategories[1].subcategories[1] == "Profiling");
  CHECK(kBuiltinCategories[4].subcategories[3] == "Layer building");
}

}  // namespace
}  // namespace geckoprof
