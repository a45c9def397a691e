#ifndef GECKOPROF_TOOLS_PROFILE_MODEL_BUILDER_H_
#define GECKOPROF_TOOLS_PROFILE_MODEL_BUILDER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "tools/profile/json_document.h"
#include "tools/profile/json_path.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// ModelBuilder: the part of loading that both formats share: interning of strings and functions, what `meta` says, and
// reading one number or index with an error that names its place. Threads:   one. Lifetime:  the model outlives the
// builder.
class ModelBuilder {
 public:
  explicit ModelBuilder(ProfileModel* model) : model_(model) {}

  ProfileModel& model() { return *model_; }

  // Rows of model().strings and .functions, one for each different text or (name, library).
  int32_t Intern(std::string_view text);
  int32_t Function(std::string_view name, std::string_view library);
  int32_t Function(int32_t name, int32_t library);

  // Product, command line, interval, categories, units: all but the version and the extra sections.
  absl::Status ReadMeta(JsonView meta);
  // ns for one threadCPUDelta by meta.sampleUnits; 0 where the unit is no time.
  double cpu_unit_ns() const { return cpu_unit_ns_; }
  // A threadCPUDelta in ns, -1 where it is unknown.
  int64_t CpuNs(JsonView value) const;

 private:
  ProfileModel* model_;
  double cpu_unit_ns_ = 1;
  absl::flat_hash_map<std::string, int32_t> string_rows_;
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> function_rows_;
};

// "$.threads[3].name: what".
absl::Status FaultAt(const JsonPath& path, std::string_view what);
// An index below `limit`; null and missing are kNoRow.
absl::StatusOr<int32_t> ReadIndex(JsonView value, size_t limit, const JsonPath& path);
// A member that must be an array or an object.
absl::StatusOr<JsonView> NeedArray(JsonView object, std::string_view key, const JsonPath& path);
absl::StatusOr<JsonView> NeedObject(JsonView object, std::string_view key, const JsonPath& path);
// A time or weight in the range where sums of millions of them stay finite; else 0.
double ReadTimeMs(JsonView value);
double ReadWeight(JsonView value);
// A string, or a number as its shortest text; else empty.
std::string TextOf(JsonView value);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_MODEL_BUILDER_H_
