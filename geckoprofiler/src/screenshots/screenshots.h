#ifndef GECKOPROF_GECKOPROFILER_SCREENSHOTS_SCREENSHOTS_H_
#define GECKOPROF_GECKOPROFILER_SCREENSHOTS_SCREENSHOTS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "geckoprofiler/profiler_values.h"

namespace geckoprof {

// Screenshots: images of the program's windows, as markers "CompositorScreenshot". The viewer shows them in a track of
// their own.
//
//   PNG or JPEG --Add--> "data:image/png;base64,..." --> one marker in a chunk of the recording
//
// Invariants: a marker is no larger than kMostUrlBytes, and there is at most one in kLeastIntervalNs. Every
// image that is dropped is counted by a marker "Screenshot dropped". Images that come too soon are counted with the
// next one.
//
// Threads: any. Context: not signal context, because of the heap.
class Screenshots {
 public:
  // A chunk of the recording has 64 KiB. The marker needs some more bytes than its text.
  static constexpr size_t kMostUrlBytes = size_t{60} * 1024;
  static constexpr int64_t kLeastIntervalNs = 100'000'000;

  struct Image {
    std::string_view bytes;  // encoded
    std::string_view mime;   // image/png or image/jpeg
    uint32_t width = 0;      // of the window, in pixels
    uint32_t height = 0;
    uint64_t window = 0;
  };

  // Adds a marker at `now_ns`, a time of CLOCK_MONOTONIC. Returns kInactive if nothing is recorded, and kUnchanged if
  // the last marker was too short a time ago. Returns kBadArgument if the image is too large, has no pixels or is not
  // what `mime` says.
  ProfilerStatus Add(const Image& image, int64_t now_ns);

 private:
  std::atomic<int64_t> last_ns_{INT64_MIN / 2};  // relaxed; of the last marker
  std::atomic<uint32_t> too_often_{0};           // relaxed; since that
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_SCREENSHOTS_SCREENSHOTS_H_
