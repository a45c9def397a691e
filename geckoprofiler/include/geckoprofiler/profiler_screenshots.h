// Images of the program's windows in the profile.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_SCREENSHOTS_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_SCREENSHOTS_H_

#include <cstdint>
#include <string_view>

#include "geckoprofiler/c/geckoprof_screenshots.h"
#include "geckoprofiler/profiler_result.h"

GECKOPROF_BEGIN_HIDDEN_

// Records an image of a window, now. c/geckoprof_screenshots.h has the rules and the answers. `image` is the content of
// a PNG or JPEG file. Threads: any. Context: not signal context.
//
//   profiler_add_screenshot(jpeg, "image/jpeg", window.width(), window.height(), window.id());
inline geckoprof::ProfilerStatus profiler_add_screenshot(std::string_view image, const char* mime, uint32_t width,
                                                         uint32_t height, uint64_t window) {
  return static_cast<geckoprof::ProfilerStatus>(
      geckoprof_add_screenshot(image.data(), image.size(), mime, width, height, window));
}

GECKOPROF_END_VISIBILITY_

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_SCREENSHOTS_H_
