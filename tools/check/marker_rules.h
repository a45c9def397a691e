#ifndef GECKOPROF_TOOLS_CHECK_MARKER_RULES_H_
#define GECKOPROF_TOOLS_CHECK_MARKER_RULES_H_

#include <cstddef>

#include "tools/check/marker_schemas.h"
#include "tools/check/value_checker.h"

namespace geckoprof {

// One marker with the places of its parts, which differ between the formats: cells of a row, or rows of columns.
struct MarkerToCheck {
  JsonView name, start, end, phase, category, data;
  const JsonPath& name_path;
  const JsonPath& start_path;
  const JsonPath& end_path;
  const JsonPath& phase_path;
  const JsonPath& category_path;
  const JsonPath& data_path;
};

// What a marker may refer to.
struct MarkerScope {
  size_t strings = 0;
  std::optional<size_t> categories;  // empty: unknown, the viewer puts in a list of its own
  const MarkerSchemas* schemas = nullptr;
};

// Name, times by phase, category, payload against its schema; not the stack, which each format keeps in its own way.
void CheckMarker(const MarkerToCheck& marker, const MarkerScope& scope, ValueChecker* checker);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_MARKER_RULES_H_
