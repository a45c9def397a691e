#ifndef GECKOPROF_TESTS_INTEGRATION_MARKERS_INLINE_MARKERS_H_
#define GECKOPROF_TESTS_INTEGRATION_MARKERS_INLINE_MARKERS_H_

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/c/geckoprof_base.h"

// Each file that includes it has a copy of this, and linkers merge by name what is static in the copies. MARKED_AHEAD:
// names are numbered otherwise there, as another compiler would, or as asserts do that only one of the files has.
__attribute__((always_inline)) inline void MarkInline() {
#ifdef MARKED_AHEAD
  [](auto value) { return value; }(0);
  if (false) GECKOPROF_MARK("never", GECKOPROF_CATEGORY_OTHER);
#endif
  AUTO_PROFILER_MARKER_UNTYPED("first inline scope", GRAPHICS);
  AUTO_PROFILER_MARKER_UNTYPED("second inline scope", NETWORK);
  AUTO_PROFILER_MARKER_TEXT("inline text scope", STORAGE, {}, "t");
  PROFILER_MARKER_UNTYPED("inline instant", TIMER);
  // Under -Wshadow, as all tests, this compiles where no two names are the same.
  PROFILER_MARKER_TEXT("with an inline marker", OTHER, {}, [] {
    PROFILER_MARKER_UNTYPED("in an argument", TIMER);
    PROFILER_MARKER_TEXT("text in an argument", LAYOUT, {}, "t");
    return "text";
  }());
  GECKOPROF_MARK("inline mark of C", GECKOPROF_CATEGORY_NETWORK);
  GECKOPROF_MARK_WITH("inline mark of C with options", GECKOPROF_CATEGORY_JS, geckoprof_instant());
}

// The same, in another file.
void MarkInlineElsewhere();

#endif  // GECKOPROF_TESTS_INTEGRATION_MARKERS_INLINE_MARKERS_H_
