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

/* `dynamic`: shown after the label; null: nothing. `scope`: an address in the frame that the label belongs to: that of
 * a local variable. The result is for geckoprof_close_label, and may be null. */
static inline void* geckoprof_open_label(const char* label, const char* dynamic, uint32_t category, void* scope) {
  if (!geckoprof_base_is_here()) return 0;
  return geckoprof_base_label_enter(label, dynamic, category, scope);
}
static inline void geckoprof_close_label(void* label) {
  if (label != 0) geckoprof_base_label_leave(label);
}

/* How many labels are open on the calling thread, and closing all that were opened since: for longjmp, and for
 * languages whose scopes may end in another order. Signal safe. */
uint32_t geckoprof_base_label_depth(void);
void geckoprof_base_label_cut(uint32_t depth);

/* The same for a label of the function that says all of `scope`, so that what a longjmp left open is told from it. */
void* geckoprof_base_label_open(const char* label, const char* dynamic, uint32_t category,
                                const struct geckoprof_label_scope* scope);

/* For the macros. */
static inline void* geckoprof_open_label_of_(const char* label, const char* dynamic, uint32_t category,
                                             struct geckoprof_label_scope scope) {
  if (!geckoprof_base_is_here()) return 0;
  return geckoprof_base_label_open(label, dynamic, category, &scope);
}
static inline void geckoprof_close_label_of_(void** label) { geckoprof_close_label(*label); }

#define GECKOPROF_JOIN_WORDS_(a, b) a##b
#define GECKOPROF_JOIN_(a, b) GECKOPROF_JOIN_WORDS_(a, b)

/* One in a line. */
#define GECKOPROF_LABEL(label, category) GECKOPROF_LABEL_TEXT(label, category, 0)
#define GECKOPROF_LABEL_TEXT(label, category, text)                                                               \
  __attribute__((cleanup(geckoprof_close_label_of_), unused)) void* GECKOPROF_JOIN_(geckoprof_label_, __LINE__) = \
      geckoprof_open_label_of_("" label, text, category, geckoprof_base_label_scope())

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_C_GECKOPROF_LABELS_H_ */
