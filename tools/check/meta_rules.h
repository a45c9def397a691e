// The rules for the parts of a profile that say where and how it was recorded.
#ifndef GECKOPROF_TOOLS_CHECK_META_RULES_H_
#define GECKOPROF_TOOLS_CHECK_META_RULES_H_

#include <vector>

#include "tools/check/value_checker.h"

namespace geckoprof {

// Checks what both formats say in `meta`: start time, interval, units, times of the recording. Versions, categories and
// marker types are checked elsewhere. Of a subprocess the viewer reads the start time alone.
void CheckMeta(JsonView meta, bool is_subprocess, const JsonPath& path, ValueChecker* checker);

// Checks `pausedRanges` of a process or thread. They are in order, and none ends before it begins. An open one has
// null. The viewer shows none of them.
void CheckPausedRanges(JsonView ranges, const JsonPath& path, ValueChecker* checker);

// Checks registerTime and unregisterTime of a thread.
void CheckThreadLife(JsonView thread, const JsonPath& path, ValueChecker* checker);

// Number of subcategories of each category.
using CategorySizes = std::vector<size_t>;

// meta.categories: names, known colours, a grey one, subcategories that begin with "Other".
CategorySizes CheckCategories(JsonView categories, const JsonPath& path, ValueChecker* checker);

// Checks that a (category, subcategory) pair of a frame is in range.
void CheckCategoryPair(JsonView category, const JsonPath& category_path, JsonView subcategory,
                       const JsonPath& subcategory_path, const CategorySizes& sizes, ValueChecker* checker);

// Checks a subprocess's own list. The viewer does not read it. It looks the numbers up in the parent's list, so both
// lists must have the same names for them.
void CheckSameCategories(JsonView own, JsonView parents, const JsonPath& path, ValueChecker* checker);

// Checks `libs` of a Gecko profile. Each has names and ids. The addresses are sorted and disjoint, as the viewer's
// binary search needs them.
void CheckGeckoLibraries(JsonView libs, const JsonPath& path, ValueChecker* checker);
// Checks that each of `libs` of a processed profile is there once. They have no addresses.
void CheckProcessedLibraries(JsonView libs, const JsonPath& path, ValueChecker* checker);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_META_RULES_H_
