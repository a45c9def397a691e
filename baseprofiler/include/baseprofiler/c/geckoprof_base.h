/* The base profiler's API for C99 and for languages that call C. C++ has base_profiler.h, which says the same with
 * classes. This header includes the rest:
 *
 *   base_profiler_abi.h     start, stop, pause, state; names of threads; categories of the program's own
 *   counter_abi.h           numbers of the program, which the viewer draws as graphs
 *   geckoprof_markers.h     points and intervals on the time line, with typed payloads
 *   geckoprof_format.h      markers with a text that printf formats
 *   geckoprof_startup.h     names of the phases of the program's start
 *   geckoprof_functions.h   all functions as one table
 *
 * A program reaches the library in one of two ways:
 *   linked        with -lbaseprofiler or the archive; the program does not start without the library
 *   not linked    with geckoprof_shim.h; the program uses a library that is in the process, and runs without one
 * `geckoprof record` preloads the library, so it sees the program's markers in both cases. enabled.h says when all of
 * this compiles to nothing.
 *
 * Stable: functions and fields are only added. A program that was compiled with these headers runs with every later
 * release of the library. A function may be called at any time, also before main and after exit, and on any thread. It
 * is harmless while nothing is recorded. In a signal handler, a program may call only the functions that say so. No
 * function throws, prints, exits or sets errno.
 *
 * This header itself has labels. A label is a frame in the stacks of all samples that are taken of the thread while the
 * label is open.
 *
 *   void Load(const char* path) {
 *     GECKOPROF_LABEL_TEXT("Load", GECKOPROF_CATEGORY_STORAGE, path);   open until the end of the block
 *     ...
 *   }
 *
 * Some compilers have no __attribute__((cleanup)), and some labels do not end with a block:
 *
 *   void* const label = geckoprof_open_label("Load", path, GECKOPROF_CATEGORY_STORAGE, &path);
 *   ...
 *   geckoprof_close_label(label);      on the same thread; the label that was opened last is closed first
 *
 * The library does not copy texts. They must stay valid until the label is closed. No heap is used. A label costs the
 * same while nothing is recorded, because a recording that starts later must show it. Labels that nest deeper than the
 * thread's stack of labels are counted, and not shown. Signal safe. */
#ifndef GECKOPROF_BASEPROFILER_C_GECKOPROF_BASE_H_
#define GECKOPROF_BASEPROFILER_C_GECKOPROF_BASE_H_

#include <stdint.h>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/c/geckoprof_format.h"
#include "baseprofiler/c/geckoprof_functions.h"
#include "baseprofiler/c/geckoprof_markers.h"
#include "baseprofiler/c/geckoprof_startup.h"
#include "baseprofiler/counter_abi.h"
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

/* For the macros. */
static inline void geckoprof_close_label_of_(void** label) { geckoprof_close_label(*label); }

/* A line of source may hold one of them. */
#define GECKOPROF_LABEL(label, category) GECKOPROF_LABEL_TEXT(label, category, 0)
#if GECKOPROF_IS_ENABLED_
#define GECKOPROF_LABEL_TEXT(label, category, text)                                                               \
  __attribute__((cleanup(geckoprof_close_label_of_), unused)) void* GECKOPROF_JOIN_(geckoprof_label_, __LINE__) = \
      geckoprof_open_label("" label, text, category, geckoprof_base_stack_pointer())
#else
#define GECKOPROF_LABEL_TEXT(label, category, text) GECKOPROF_NOTHING_
#endif

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_C_GECKOPROF_BASE_H_ */
