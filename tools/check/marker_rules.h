#ifndef GECKOPROF_TOOLS_CHECK_MARKER_RULES_H_
#define GECKOPROF_TOOLS_CHECK_MARKER_RULES_H_

#include <cstddef>

#include "tools/check/marker_schemas.h"
#include "tools/check/value_checker.h"

namespace geckoprof {

// MarkerToCheck is one marker with the places of its parts. They are cells of a row or rows of columns, by the format.
struct MarkerToCheck {
  JsonView name, start, end, phase, category, data;
  const JsonPath& name_path;
  const JsonPath& start_path;
  const JsonPath& end_path;
  const JsonPath& phase_path;
  const JsonPath& category_path;
  const JsonPath& data_path;
};

// MarkerScope has the tables that a marker may refer to.
struct MarkerScope {
  size_t strings = 0;
  std::optional<size_t> categories;  // empty if unknown, because the viewer puts in a list of its own
  const MarkerSchemas* schemas = nullptr;
};

// Checks the name, the times by the phase, the category, and the payload against its schema. Each format has stacks of
// its own, so the caller checks the stack.
void CheckMarker(const MarkerToCheck& marker, const MarkerScope& scope, ValueChecker* checker);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_MARKER_RULES_H_
