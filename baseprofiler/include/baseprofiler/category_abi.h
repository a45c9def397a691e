/* Categories, for C and for every version of the C++ headers beside this one. See base_profiler_abi.h for what holds of
 * all functions.
 *
 *   uint32_t physics, collisions;
 *   geckoprof_base_add_category("Physics", "magenta", &physics);
 *   geckoprof_base_add_subcategory(physics, "Collisions", &collisions);
 *
 * A category belongs to the process, not to a recording: it is in every profile from then on, and in those of the
 * children of a fork. There is no taking it away. A pair is category << 8 | subcategory; the numbers of the program's
 * own are the same for the whole life of the process, and mean nothing to another. */
#ifndef GECKOPROF_BASEPROFILER_CATEGORY_ABI_H_
#define GECKOPROF_BASEPROFILER_CATEGORY_ABI_H_

#include <stdint.h>

#include "baseprofiler/detail/category_pairs.h"

#ifdef __cplusplus
extern "C" {
#endif

enum geckoprof_category_result {
  GECKOPROF_CATEGORY_ADDED = 0,
  GECKOPROF_CATEGORY_THERE = 1,         /* it was there already */
  GECKOPROF_CATEGORY_OTHER_COLOR = 2,   /* it was there already, with another color, which stays */
  GECKOPROF_CATEGORY_UNKNOWN_COLOR = 3, /* refused: the viewer has no such color */
  GECKOPROF_CATEGORY_BAD_NAME = 4,      /* refused: null, empty, longer than 63 bytes, or not UTF-8 */
  GECKOPROF_CATEGORY_FULL = 5,          /* refused: 255 categories, 127 subcategories of one, 1024 in all */
  GECKOPROF_CATEGORY_NONE = 6,          /* refused: there is no such category */
  GECKOPROF_CATEGORY_NOT_HERE = 7       /* refused: there is no library in this process (geckoprof_shim.h) */
};

/* The category of this name, made if there is none; *pair is it with the subcategory Other. Refused: *pair is
 * GECKOPROF_CATEGORY_OTHER, and the profile says how many were. Any number of threads may ask at a time. Takes a lock.
 * Names are compared byte by byte. color: a colour name of the viewer. */
int geckoprof_base_add_category(const char* name, const char* color, uint32_t* pair);

/* The same for a subcategory; the subcategory in `category_pair` does not count. Refused: *pair is `category_pair`. */
int geckoprof_base_add_subcategory(uint32_t category_pair, const char* name, uint32_t* pair);

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_CATEGORY_ABI_H_ */
