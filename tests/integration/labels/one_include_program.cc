// The full library's one header brings all that a program marks with; beside base's namespace no macro is ambiguous.
#include "geckoprofiler/gecko_profiler.h"

using namespace geckoprof::baseprofiler;  // NOLINT: as a user of base's would

PROFILER_DEFINE_STATIC_COUNT(included, "Test", "Calls");

int main() {
  AUTO_PROFILER_INIT;
  if (!::profiler_start(PROFILER_DEFAULT_ENTRIES, 1, 0)) return 1;
  AUTO_PROFILER_LABEL("one", OTHER_Profiling);
  AUTO_BASE_PROFILER_LABEL_DYNAMIC_CSTR("two", GRAPHICS_LayerBuilding, "text");
  AUTO_PROFILER_LABEL_IN("three", profiler_add_category("Own", "blue"));
  PROFILER_MARKER_UNTYPED("marker", GRAPHICS_LayerBuilding);
  ++profiler_count_included;
  return geckoprof_base_labels != nullptr && geckoprof_base_labels->depth == 3 ? 0 : 1;
}
