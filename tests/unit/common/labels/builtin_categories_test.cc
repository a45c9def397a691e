#include "geckoprof/labels/builtin_categories.h"

#include <catch2/catch.hpp>

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

}  // namespace
}  // namespace geckoprof
