#ifndef GECKOPROF_TOOLS_CHECK_MARKER_SCHEMAS_H_
#define GECKOPROF_TOOLS_CHECK_MARKER_SCHEMAS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "geckoprof/reader/marker_formats.h"
#include "tools/check/value_checker.h"

namespace geckoprof {

// LabelTemplate is a label of a marker schema, with its fault and the payload keys that it asks for.
struct LabelTemplate {
  std::string fault;  // empty: well formed
  std::vector<std::string_view> keys;
};

// A label is a text with {marker.name}, {marker.category}, {marker.start}, {marker.end}, {marker.duration},
// {marker.data.KEY} and {marker.data.KEY ? 'a' : 'b'}. The viewer prints nothing for other expressions. The keys point
// into `label`.
LabelTemplate ParseLabelTemplate(std::string_view label);

struct MarkerFieldRule {
  MarkerFormat format = MarkerFormat::kString;
  std::vector<MarkerFormat> columns = {};  // of kTable
  bool hidden = false;                     // not shown by the viewer
};

// Checks a value where the viewer formats a number. It shows a boolean as 0 or 1, and a text as the number that it is.
void CheckNumberValue(JsonView value, const JsonPath& path, ValueChecker* checker);

// Checks "format" and "value" of an entry of meta.extra. The viewer shows it as a marker's field.
void CheckFormattedValue(JsonView entry, const JsonPath& path, ValueChecker* checker);

// Checks "color" of a marker's or a counter's graph.
void CheckGraphColor(JsonView graph, ValueChecker::Need need, const JsonPath& path, ValueChecker* checker);

// MarkerSchemas has the marker types of a file. As in the viewer, the lists of all processes are merged by name, and
// the first type of a name wins. A marker's type is found by data.type alone.
class MarkerSchemas {
 public:
  using Fields = absl::flat_hash_map<std::string, MarkerFieldRule>;

  // Checks one meta.markerSchema and adds its types. `field_key` is "data" in the Gecko format and "fields" in the
  // processed one.
  void Add(JsonView list, std::string_view field_key, const JsonPath& path, ValueChecker* checker);

  // Returns null if there is no such type.
  const Fields* Find(std::string_view type) const;

 private:
  void AddType(JsonView schema, std::string_view field_key, const JsonPath& path, ValueChecker* checker,
               Fields* fields);

  absl::flat_hash_map<std::string, Fields> types_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_MARKER_SCHEMAS_H_
