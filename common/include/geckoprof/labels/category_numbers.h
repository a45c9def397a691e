// Ranges of category numbers. The program may be compiled with a longer list of categories than the library. The two
// must not confuse the listed categories with the program's own. The program's own numbers are therefore far from all
// others.
//
//   category:     0 .. 127  from the list, in its order      256 .. 510  added by the program
//   subcategory:  0 "Other", 1 .. 127 from the list          128 .. 254  added by the program
#ifndef GECKOPROF_LABELS_CATEGORY_NUMBERS_H_
#define GECKOPROF_LABELS_CATEGORY_NUMBERS_H_

#include <cstdint>
#include <string_view>

#include "geckoprof/labels/builtin_categories.h"

namespace geckoprof {

inline constexpr uint32_t kFirstOwnCategory = 256;
inline constexpr uint32_t kMaxOwnCategories = 255;
inline constexpr uint32_t kFirstOwnSubcategory = 128;
inline constexpr uint32_t kMaxOwnSubcategories = 127;  // in each category
inline constexpr uint32_t kMaxCategoryNameBytes = 63;

constexpr bool IsOwnCategory(uint32_t category) {
  return category >= kFirstOwnCategory && category - kFirstOwnCategory < kMaxOwnCategories;
}

constexpr bool IsCategoryColor(std::string_view color) {
  for (const std::string_view known : kCategoryColors) {
    if (known == color) return true;
  }
  return false;
}

// Returns the pair if its category may exist, and otherwise "Other". The pair comes from an unchecked source.
constexpr uint32_t PlausibleCategoryPair(uint32_t pair) {
  return pair >> 8 < kBuiltinCategoryCount || IsOwnCategory(pair >> 8) ? pair : kOtherCategory << 8;
}

// Returns true if the Firefox Profiler has the colour for counters and for the graphs of markers.
constexpr bool IsGraphColor(std::string_view color) {
  constexpr std::string_view kColors[] = {"blue",   "green",  "grey", "ink",  "magenta",
                                          "orange", "purple", "red",  "teal", "yellow"};
  for (const std::string_view known : kColors) {
    if (known == color) return true;
  }
  return false;
}

}  // namespace geckoprof

#endif  // GECKOPROF_LABELS_CATEGORY_NUMBERS_H_
