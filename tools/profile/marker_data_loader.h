#ifndef GECKOPROF_TOOLS_PROFILE_MARKER_DATA_LOADER_H_
#define GECKOPROF_TOOLS_PROFILE_MARKER_DATA_LOADER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "tools/profile/model_builder.h"

namespace geckoprof {

// Reads one entry of meta.markerSchema, of either format. It is how the viewer shows markers of one type.
MarkerTypeRow ReadMarkerType(JsonView schema);

// Returns whether a number of a marker of this type is a time of the profile. `declared` is null if the profile has no
// schema of the type.
bool IsMarkerTime(std::string_view type, const MarkerTypeRow* declared, std::string_view key);

// MarkerDataLoader: reads what markers carry, of both formats, with the schemas that say what it means: values that are
// texts, numbers, or yes and no. Lists and tables within a marker are left out. Threads:   one. Lifetime:  the builder
// outlives it.
class MarkerDataLoader {
 public:
  explicit MarkerDataLoader(ModelBuilder* builder) : builder_(builder) {}

  // meta.markerSchema. A type that is known stays as it is.
  void ReadSchemas(JsonView schemas);

  // A row of model.marker_data, kNoRow where there is none. `strings` and `stacks` are those that the builder has last
  // read.
  absl::StatusOr<int32_t> Read(JsonView data, const JsonPath& path);

 private:
  ModelBuilder* builder_;
  absl::flat_hash_set<int32_t> known_types_;
  // (type, key), as rows of the strings, of values that are an index of the string table.
  absl::flat_hash_set<std::pair<int32_t, int32_t>> index_fields_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_MARKER_DATA_LOADER_H_
