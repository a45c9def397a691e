// Adding markers where nothing is instrumented (enabled.h). Arguments are not encoded, so any argument is accepted.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_DISABLED_MARKERS_H_
#define GECKOPROF_BASEPROFILER_DETAIL_DISABLED_MARKERS_H_

#include <cstdint>

#include "baseprofiler/category.h"
#include "baseprofiler/marker_options.h"
#include "baseprofiler/marker_text.h"
#include "baseprofiler/spliceable_json_writer.h"

namespace geckoprof::internal {

struct NoPayload {};

template <typename Type, typename Writer, typename... Arguments>
void WriteFields(Writer&, const Arguments&...) {}

}  // namespace geckoprof::internal

template <typename Type, typename... Arguments>
bool profiler_add_marker(const geckoprof::MarkerText&, geckoprof::MarkerCategory, const geckoprof::MarkerOptions&, Type,
                         const Arguments&...) {
  return false;
}
inline bool profiler_add_marker(const geckoprof::MarkerText&, geckoprof::MarkerCategory,
                                const geckoprof::MarkerOptions& = {}) {
  return false;
}
inline bool profiler_add_native_allocation_marker(int64_t, uintptr_t) { return false; }

#endif  // GECKOPROF_BASEPROFILER_DETAIL_DISABLED_MARKERS_H_
