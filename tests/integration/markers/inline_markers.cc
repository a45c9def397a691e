#include "baseprofiler/base_profiler.h"

// Markers ahead of the header's: those have other numbers here than where it comes first.
static void MarkAhead() {
  AUTO_PROFILER_MARKER_UNTYPED("ahead", OTHER);
  PROFILER_MARKER_UNTYPED("ahead", OTHER);
}

#define MARKED_AHEAD
#include "tests/integration/markers/inline_markers.h"

void MarkInlineElsewhere() {
  MarkAhead();
  MarkInline();
}
