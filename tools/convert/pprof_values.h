#ifndef GECKOPROF_TOOLS_CONVERT_PPROF_VALUES_H_
#define GECKOPROF_TOOLS_CONVERT_PPROF_VALUES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// ns of one of a unit of time; 0: no time.
double PprofUnitNs(std::string_view unit);
// Bytes of one of a unit of memory; 0: no memory. Thousands are 1024, as pprof's own reader has them.
double PprofUnitBytes(std::string_view unit);

// PprofValues: the values that each sample of a profile.proto has, by their types, and which of them are taken.
// Lifetime: names are views of the profile.
class PprofValues {
 public:
  struct Type {
    std::string_view name, unit;  // "alloc_space", "bytes"
  };
  struct Choice {
    size_t weight = 0;           // number of the value that weighs
    std::optional<size_t> time;  // likewise, of the time that belongs to it; itself where CPU time alone is taken
    bool has_cpu = false;        // that is CPU time
    ProfileWeightUnit unit = ProfileWeightUnit::kSamples;
    double scale = 1;  // from the value to the weight; of CPU time alone: to ms

    bool is_cpu_alone() const { return has_cpu && time == weight; }
  };

  void Add(Type type) { types_.push_back(type); }
  size_t size() const { return types_.size(); }
  const Type& type(size_t number) const { return types_[number]; }

  // The value that `wanted` names, with the time beside it if it is a count. Without it the one that `default_name`
  // does, or the last; if that is a time, the count that it stands beside. An error lists the values. There is one.
  absl::StatusOr<Choice> Choose(std::string_view wanted, std::string_view default_name) const;
  // "samples", "samples with the CPU time of cpu".
  std::string NameTaken(const Choice& choice) const;
  // "inuse_objects (count), inuse_space (bytes)": what is not taken.
  std::string ListOthers(const Choice& choice) const;

 private:
  std::optional<size_t> Find(std::string_view name) const;
  bool IsTime(size_t number) const { return PprofUnitNs(types_[number].unit) > 0; }
  bool IsCpu(size_t number) const;
  std::optional<size_t> CountBeside(size_t time) const;
  std::optional<size_t> TimeBeside(size_t count) const;
  Choice Alone(size_t number) const;
  std::string Listed(const std::vector<size_t>& numbers) const;

  std::vector<Type> types_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PPROF_VALUES_H_
