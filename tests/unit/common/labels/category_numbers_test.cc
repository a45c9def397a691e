#include "geckoprof/labels/category_numbers.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("numbers of the list and of the program's own categories do not meet") {
  CHECK(kBuiltinCategoryCount <= kFirstOwnCategory / 2);
  CHECK_FALSE(IsOwnCategory(kBuiltinCategoryCount));
  CHECK(IsOwnCategory(kFirstOwnCategory));
  CHECK(IsOwnCategory(kFirstOwnCategory + kMaxOwnCategories - 1));
  CHECK_FALSE(IsOwnCategory(kFirstOwnCategory + kMaxOwnCategories));
  CHECK(kFirstOwnSubcategory + kMaxOwnSubcategories <= 256);
  for (const BuiltinCategory& category : kBuiltinCategories)
    CHECK(category.subcategories.size() <= kFirstOwnSubcategory);
}

TEST_CASE("a pair that cannot be is Other, one that may be stays") {
  CHECK(PlausibleCategoryPair(4 << 8 | 3) == (4 << 8 | 3));
  CHECK(PlausibleCategoryPair((kFirstOwnCategory + 7) << 8 | 200) == ((kFirstOwnCategory + 7) << 8 | 200));
  CHECK(PlausibleCategoryPair(kBuiltinCategoryCount << 8) == kOtherCategory << 8);
  CHECK(PlausibleCategoryPair(UINT32_MAX) == kOtherCategory << 8);
}

TEST_CASE("colours are the viewer's, by their exact names") {
  for (const BuiltinCategory& category : kBuiltinCategories) CHECK(IsCategoryColor(category.color));
  CHECK(IsCategoryColor("lightgreen"));
  CHECK_FALSE(IsCategoryColor("Blue"));
  CHECK_FALSE(IsCategoryColor("ink"));
  CHECK_FALSE(IsCategoryColor(""));
}

}  // namespace
}  // namespace geckoprof
