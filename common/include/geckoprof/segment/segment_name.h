#ifndef GECKOPROF_SEGMENT_SEGMENT_NAME_H_
#define GECKOPROF_SEGMENT_SEGMENT_NAME_H_

#include <cstdint>
#include <string_view>

namespace geckoprof {

// SegmentName is a segment's file name, "<pid>-<image>.segment".
struct SegmentName {
  int32_t pid = 0;
  uint32_t image = 0;
  // Returns false for any other name.
  [[nodiscard]] bool Parse(std::string_view file_name);
};

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_SEGMENT_NAME_H_
