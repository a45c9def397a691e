/* The full library's API for C: images of the program's windows. geckoprof_full.h says which rules all functions share.
 */
#ifndef GECKOPROF_GECKOPROFILER_C_GECKOPROF_SCREENSHOTS_H_
#define GECKOPROF_GECKOPROFILER_C_GECKOPROF_SCREENSHOTS_H_

#include <stddef.h>
#include <stdint.h>

#include "geckoprofiler/c/geckoprof_full.h"

#ifdef __cplusplus
extern "C" {
#endif

GECKOPROF_BEGIN_EXPORTED_

/* Records an image of a window, now. The viewer shows it in a track of screenshots. `image` is a whole PNG or JPEG file
 * of 46,000 bytes at most, so a program scales its windows down, for example to 350 pixels. `mime` is "image/png" or
 * "image/jpeg". `width` and `height` are those of the window, in pixels, and are not 0. Each `window` has a track of
 * its own.
 *
 * One image is recorded in 100 ms. UNCHANGED: the last one was less long ago. OUT_OF_RANGE: the image is too large, or
 * is no image of that type, or there are no pixels. Every image that is dropped is counted by a marker "Screenshot
 * dropped". INACTIVE: nothing is recorded. NOTHING_TO_HOLD_IT: there is no room in the recording. NO_MEMORY is
 * possible, because the heap is used. Any thread. Not signal safe. */
int geckoprof_add_screenshot(const void* image, size_t image_bytes, const char* mime, uint32_t width, uint32_t height,
                             uint64_t window);

GECKOPROF_END_VISIBILITY_

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_GECKOPROFILER_C_GECKOPROF_SCREENSHOTS_H_ */
