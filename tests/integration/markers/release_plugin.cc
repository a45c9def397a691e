// Two libraries that differ in RELEASE alone, as releases of one plugin do: what is static in their inline functions
// has the same names, and must not be the same objects.
#include "baseprofiler/base_profiler.h"
#include "baseprofiler/c/geckoprof_base.h"

struct Plugin {
  static void Mark() {
    AUTO_PROFILER_MARKER_UNTYPED("scope of " RELEASE, OTHER);
    PROFILER_MARKER_UNTYPED("instant of " RELEASE, OTHER);
    PROFILER_MARKER_TEXT("text of " RELEASE, OTHER, {}, "t");
    GECKOPROF_MARK("mark of C of " RELEASE, GECKOPROF_CATEGORY_OTHER);
  }
};

extern "C" __attribute__((visibility("default"))) void MarkInPlugin() { Plugin::Mark(); }
