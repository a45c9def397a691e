// What labels and markers belong to.
#ifndef GECKOPROF_BASEPROFILER_CATEGORY_H_
#define GECKOPROF_BASEPROFILER_CATEGORY_H_

#include <cstdint>

namespace geckoprof::baseprofiler {

// What a label or marker belongs to; the numbers are those of the profile's list of categories.
enum class Category : uint32_t {
  IDLE = 0,
  OTHER = 1,
  TEST = 2,
  NETWORK = 3,
  GRAPHICS = 4,
  IPC = 5,
  MEDIA = 6,
  STORAGE = 7,
  PROFILER = 8,
  TIMER = 9,
  LOGS = 10,
};
constexpr uint32_t ToCategoryPair(Category category) { return static_cast<uint32_t>(category) << 8; }

}  // namespace geckoprof::baseprofiler

#endif  // GECKOPROF_BASEPROFILER_CATEGORY_H_
