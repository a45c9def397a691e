// The categories of labels and markers.
//
//   AUTO_PROFILER_LABEL("Upload", GRAPHICS_TileAllocation);                                 every program has it
//   static const auto kPhysics = profiler_add_category("Physics", "magenta");               the program's own
//   static const auto kCollisions = profiler_add_subcategory(kPhysics, "Collisions");
//   AUTO_PROFILER_LABEL_IN("Step", kCollisions);
#ifndef GECKOPROF_BASEPROFILER_CATEGORY_H_
#define GECKOPROF_BASEPROFILER_CATEGORY_H_

#include <cstdint>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/detail/category_list.h"

namespace geckoprof {

namespace baseprofiler {

// Returns category << 8 | subcategory, as entries of a profile have it. Category::GRAPHICS has the subcategory Other.
constexpr uint32_t ToCategoryPair(Category category) { return static_cast<uint32_t>(category); }

}  // namespace baseprofiler

using MarkerCategory = baseprofiler::Category;
using ProfilingCategoryPair = baseprofiler::Category;

// The result of a request for a category. See geckoprof_base_add_category.
enum class CategoryResult : int {
  kAdded = GECKOPROF_CATEGORY_ADDED,
  kThere = GECKOPROF_CATEGORY_THERE,
  kOtherColor = GECKOPROF_CATEGORY_OTHER_COLOR,
  kUnknownColor = GECKOPROF_CATEGORY_UNKNOWN_COLOR,
  kBadName = GECKOPROF_CATEGORY_BAD_NAME,
  kFull = GECKOPROF_CATEGORY_FULL,
  kNoCategory = GECKOPROF_CATEGORY_NONE,
  kNotHere = GECKOPROF_CATEGORY_NOT_HERE
};

}  // namespace geckoprof

// Returns the category of this name, and makes it if there is none. All threads and recordings share it. `color` is
// transparent, blue, green, grey, lightblue, magenta, orange, purple, yellow, brown, red, lightgreen, lightred or
// darkgrey. A request that is refused returns Category::OTHER and is counted. `result` has the reason.
inline geckoprof::MarkerCategory profiler_add_category(const char* name, const char* color,
                                                       geckoprof::CategoryResult* result = nullptr) {
  uint32_t pair = 0;
  const int added = geckoprof_base_add_category(name, color, &pair);
  if (result != nullptr) *result = static_cast<geckoprof::CategoryResult>(added);
  return static_cast<geckoprof::MarkerCategory>(pair);
}

// Does the same for a subcategory of any category. A request that is refused returns `category`.
inline geckoprof::MarkerCategory profiler_add_subcategory(geckoprof::MarkerCategory category, const char* name,
                                                          geckoprof::CategoryResult* result = nullptr) {
  uint32_t pair = 0;
  const int added = geckoprof_base_add_subcategory(static_cast<uint32_t>(category), name, &pair);
  if (result != nullptr) *result = static_cast<geckoprof::CategoryResult>(added);
  return static_cast<geckoprof::MarkerCategory>(pair);
}

#endif  // GECKOPROF_BASEPROFILER_CATEGORY_H_
