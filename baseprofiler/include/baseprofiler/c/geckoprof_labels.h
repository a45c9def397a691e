/* Base's API for C: labels. A label is a frame in the stacks of all samples that are taken of the thread while it is
 * open. Part of geckoprof_base.h.
 *
 *   void Load(const char* path) {
 *     GECKOPROF_LABEL_TEXT("Load", GECKOPROF_CATEGORY_STORAGE, path);   open until the end of the block
 *     ...
 *   }
 *
 * Where __attribute__((cleanup)) is not to be had, or the label does not end with a block:
 *
 *   void* const label = geckoprof_open_label("Load", path, GECKOPROF_CATEGORY_STORAGE, &path);
 *   ...
 *   geckoprof_close_label(label);      on the same thread, the one opened last first
 *
 * Texts are not copied: they must stay valid until the label is closed. No heap is used; it costs the same whether
 * something is recorded or not, since a recording that starts later has to know of it. Signal safe. Labels that nest
 * deeper than the thread's stack of them are counted, and not shown. */
#ifndef GECKOPROF_BASEPROFILER_C_GECKOPROF_LABELS_H_
#define GECKOPROF_BASEPROFILER_C_GECKOPROF_LABELS_H_

#include <stdint.h>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/c/geckoprof_library.h"
#include "baseprofiler/detail/category_pairs.h"
#include "baseprofiler/label_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `dynamic` is shown after the label, and may be null. `scope` is an address in the frame that the label belongs to,
 * such as that of a local variable. The result is for geckoprof_close_label, and may be null. */
static inline void* geckoprof_open_label(const char* label, const char* dynamic, uint32_t category, const void* scope) {
  if (!geckoprof_base_is_here()) return 0;
  return geckoprof_base_label_enter(label, dynamic, category, scope);
}
static inline void geckoprof_close_label(void* label) {
  if (label != 0) geckoprof_base_label_leave(label);
}

/* The first returns how many labels are open on the calling thread. The second closes all labels that were opened
 * since. They are for longjmp, and for languages whose scopes may end in another order. Signal safe. */
uint32_t geckoprof_base_label_depth(void);
void geckoprof_base_label_cut(uint32_t depth);

/* For the macros. */
static inline void geckoprof_close_label_of_(void** label) { geckoprof_close_label(*label); }

#define GECKOPROF_JOIN_WORDS_(a, b) a##b
#define GECKOPROF_JOIN_(a, b) GECKOPROF_JOIN_WORDS_(a, b)

/* A line of source may hold one of them. */
#define GECKOPROF_LABEL(label, category) GECKOPROF_LABEL_TEXT(label, category, 0)
#define GECKOPROF_LABEL_TEXT(label, category, text)                                                               \
  __attribute__((cleanup(geckoprof_close_label_of_), unused)) void* GECKOPROF_JOIN_(geckoprof_label_, __LINE__) = \
      geckoprof_open_label("" label, text, category, geckoprof_base_stack_pointer())

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_C_GECKOPROF_LABELS_H_ */
