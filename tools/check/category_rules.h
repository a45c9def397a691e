#ifndef GECKOPROF_TOOLS_CHECK_CATEGORY_RULES_H_
#define GECKOPROF_TOOLS_CHECK_CATEGORY_RULES_H_

#include <vector>

#include "tools/check/value_checker.h"

namespace geckoprof {

// Number of subcategories of each category.
using CategorySizes = std::vector<size_t>;

// meta.categories: names, known colours, a grey one, subcategories that begin with "Other".
CategorySizes CheckCategories(JsonView categories, const JsonPath& path, ValueChecker* checker);

// A (category, subcategory) pair of a frame: both in range, and the second there if the first is.
void CheckCategoryPair(JsonView category, const JsonPath& category_path, JsonView subcategory,
                       const JsonPath& subcategory_path, const CategorySizes& sizes, ValueChecker* checker);

// A subprocess's own list, which no viewer reads: its numbers are looked up in the parent's, so the two must be equal.
void CheckSameCategories(JsonView own, JsonView parents, const JsonPath& path, ValueChecker* checker);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_CATEGORY_RULES_H_
