#ifndef GECKOPROF_TESTS_INTEGRATION_MARKERS_INLINE_MARKERS_H_
#define GECKOPROF_TESTS_INTEGRATION_MARKERS_INLINE_MARKERS_H_

#include "baseprofiler/base_profiler.h"

// Each file that includes it has a copy of this, and the linker merges what is static in the copies.
__attribute__((always_inline)) inline void MarkInline() {
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
}

// The same, in another file.
void MarkInlineElsewhere();

#endif  // GECKOPROF_TESTS_INTEGRATION_MARKERS_INLINE_MARKERS_H_
