// The categories that every program has. A pair of category and subcategory is one number: category << 8 | subcategory.
//
// Names and colours follow Firefox where it has the same; what only a browser has is left out. The viewer wants a grey
// one, and takes the first grey one as its default.
#ifndef GECKOPROF_LABELS_BUILTIN_CATEGORIES_H_
#define GECKOPROF_LABELS_BUILTIN_CATEGORIES_H_

#include <cstdint>
#include <string_view>

namespace geckoprof {

struct BuiltinCategory {
  std::string_view name;
  std::string_view color;               // a colour name of the viewer
  std::string_view second_subcategory;  // beside "Other"; empty: none
};

inline constexpr BuiltinCategory kBuiltinCategories[] = {
    {"Idle", "transparent", ""},  {"Other", "grey", "Profiling"}, {"Test", "darkgrey", ""},
    {"Network", "lightblue", ""}, {"Graphics", "green", ""},      {"IPC", "lightgreen", ""},
    {"Media", "orange", ""},      {"Storage", "brown", ""},       {"Profiler", "lightred", ""},
    {"Timer", "grey", ""},        {"Logs", "lightblue", ""},
};

inline constexpr uint32_t kBuiltinCategoryCount = sizeof(kBuiltinCategories) / sizeof(kBuiltinCategories[0]);

// For markers and frames that the profiler itself makes.
inline constexpr uint32_t kOtherCategory = 1;
inline constexpr uint32_t kProfilerCategory = 8;

}  // namespace geckoprof

#endif  // GECKOPROF_LABELS_BUILTIN_CATEGORIES_H_
