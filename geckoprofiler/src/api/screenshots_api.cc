// geckoprofiler/c/geckoprof_screenshots.h.
#include "geckoprof/base/clock.h"
#include "geckoprofiler/c/geckoprof_screenshots.h"
#include "screenshots/screenshots.h"

static constinit geckoprof::Screenshots g_screenshots;

int geckoprof_add_screenshot(const void* image, size_t image_bytes, const char* mime, uint32_t width, uint32_t height,
                             uint64_t window) {
  if (image == nullptr || mime == nullptr) return GECKOPROF_OUT_OF_RANGE;
  const geckoprof::Screenshots::Image given = {
      {static_cast<const char*>(image), image_bytes}, mime, width, height, window};
  return static_cast<int>(g_screenshots.Add(given, geckoprof::MonotonicNs()));
}
