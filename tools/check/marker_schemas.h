#ifndef GECKOPROF_TOOLS_CHECK_MARKER_SCHEMAS_H_
#define GECKOPROF_TOOLS_CHECK_MARKER_SCHEMAS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/check/value_checker.h"

namespace geckoprof {

// What a field's value must be, by its format.
enum class MarkerFormat : uint8_t {
  kString,       // url, file-path, sanitized-string, string
  kStringIndex,  // unique-string, flow-id, terminating-flow-id: row of the string table
  kNumber,       // times, bytes, percentage, decimal
  kInteger,      // integer, hexadecimal
  kId,           // pid, tid: a number or a string
  kList,         // array
  kTable,        // array of rows
};

struct MarkerFieldRule {
  MarkerFormat format = MarkerFormat::kString;
  std::vector<MarkerFormat> columns = {};  // of kTable
  bool hidden = false;                     // not shown by the viewer
};

// "format" and "value" of an entry of meta.extra, which the viewer shows as it does a marker's field: a format that it
// knows, and a number where the format is one of numbers.
void CheckFormattedValue(JsonView entry, const JsonPath& path, ValueChecker* checker);

// "color" of a graph: a marker's or a counter's.
void CheckGraphColor(JsonView graph, ValueChecker::Need need, const JsonPath& path, ValueChecker* checker);

// MarkerSchemas: the marker types of a file. The viewer merges the lists of all processes by name, the first wins, and
// finds a marker's type by data.type alone; so does this.
class MarkerSchemas {
 public:
  using Fields = absl::flat_hash_map<std::string, MarkerFieldRule>;

  // Checks one meta.markerSchema and adds its types. `field_key`: "data" in the Gecko format, "fields" in the processed
  // one.
  void Add(JsonView list, std::string_view field_key, const JsonPath& path, ValueChecker* checker);

  // Null where there is no such type.
  const Fields* Find(std::string_view type) const;

 private:
  void AddType(JsonView schema, std::string_view field_key, const JsonPath& path, ValueChecker* checker,
               Fields* fields);

  absl::flat_hash_map<std::string, Fields> types_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_MARKER_SCHEMAS_H_
