#ifndef GECKOPROF_TOOLS_MERGE_MERGED_MARKER_TYPES_H_
#define GECKOPROF_TOOLS_MERGE_MERGED_MARKER_TYPES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "geckoprof/json/json_writer.h"
#include "geckoprof/reader/process_profile.h"
#include "tools/json/json_document.h"

namespace geckoprof {

// MergedMarkerTypes joins the schemas of markers of several profiles. Schemas with the same content are one. A schema
// that has another content than one of the same name before it gets another name, and so do its markers:
//
//   profile 1   Request {url}              Request {url}
//   profile 2   Request {url, status}      Request (2) {url, status}
//
// Lifetime: a view of the schemas. Threads: one at a time.
class MergedMarkerTypes {
 public:
  // A type of one profile.
  struct Type {
    MarkerTypeRow declared;  // as the profile has it
    std::string name;        // in the merged profile
  };
  using Types = absl::flat_hash_map<std::string, Type>;  // by the name in the profile

  // Adds the value of meta.markerSchema.
  Types Add(JsonView schemas);
  // Returns the name of a type that has no schema in its own profile. It differs from the name of a schema that would
  // take numbers of its markers for strings. To be called after the last Add.
  std::string NameOfUndeclared(std::string_view type) const;
  // Writes the elements of meta.markerSchema.
  void Write(JsonWriter& writer) const;

 private:
  struct Schema {
    JsonView json;
    std::string text;  // its JSON
    std::string name;
    bool has_strings;  // a field is a row of the string table
  };

  std::string UnusedName(std::string_view name) const;

  std::vector<Schema> schemas_;
  absl::flat_hash_map<std::string, std::vector<size_t>> rows_;  // of the schemas, by the name in their profiles
  absl::flat_hash_set<std::string> names_;                      // in the merged profile
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_MERGE_MERGED_MARKER_TYPES_H_
