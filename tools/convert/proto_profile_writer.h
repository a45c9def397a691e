#ifndef GECKOPROF_TOOLS_CONVERT_PROTO_PROFILE_WRITER_H_
#define GECKOPROF_TOOLS_CONVERT_PROTO_PROFILE_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/convert/exported_profile.h"
#include "tools/convert/format_output.h"
#include "tools/convert/proto_wire.h"

namespace geckoprof {

// ProtoStrings is the string table of pprof and OTLP profiles. Row 0 is the empty text, which stands for none.
class ProtoStrings {
 public:
  ProtoStrings() { Row(""); }

  uint64_t Row(std::string_view text) {
    const auto [entry, added] = rows_.try_emplace(std::string(text), texts_.size());
    if (added) texts_.emplace_back(text);
    return entry->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  absl::flat_hash_map<std::string, uint64_t> rows_;
};

// LocationTable has the stacks of a model in the shape that pprof and OTLP share. An address, with all functions that
// are inlined at it, is one location.
//
//   stacks of the model, outermost first      locations, innermost first
//   main  0x10 depth 0                        2nd 0x40: hash (line 7), run (line 3)
//   run   0x40 depth 0                        1st 0x10: main
//   hash  0x40 depth 1
//
// Libraries lie one after the other in made-up address space, so that an address is in one of them only.
// Lifetime:  a view of the profile.
class LocationTable {
 public:
  struct Function {
    int32_t function = 0;     // row of model.functions
    int32_t source = kNoRow;  // row of model.strings
  };
  struct Line {
    uint32_t function = 0;  // row of functions()
    int32_t line = 0, column = 0;
  };
  struct Location {
    int32_t mapping = kNoRow;  // row of mappings()
    uint64_t address = 0;      // made up; 0: none
    std::vector<Line> lines;   // innermost first
  };
  struct Mapping {
    int32_t library = 0;  // row of model.libraries
    uint64_t start = 0, end = 0;
  };

  explicit LocationTable(const ExportedProfile& profile);

  const std::vector<Function>& functions() const { return functions_; }
  const std::vector<Location>& locations() const { return locations_; }
  const std::vector<Mapping>& mappings() const { return mappings_; }

  // Rows of locations(), innermost first.
  void LocationsOf(int32_t stack, std::vector<uint64_t>* rows) const;

 private:
  void PlaceMappings();
  bool IsInlinedInto(int32_t stack, int32_t caller) const;
  uint32_t FunctionRow(const ProfileFrame& frame);
  int32_t AddLocation(int32_t outer, const ProfileFrame& frame);
  ProfileFrame FrameOf(int32_t stack) const;

  const ExportedProfile& profile_;
  std::vector<Function> functions_;
  std::vector<Location> locations_;
  std::vector<Mapping> mappings_;
  std::vector<int32_t> mapping_of_library_;
  std::vector<int32_t> location_of_stack_;  // by row of model.stacks; kNoRow: "(root)"
  std::vector<int32_t> caller_of_stack_;    // the stack that called the location's outermost function
  absl::flat_hash_map<std::pair<int32_t, int32_t>, uint32_t> function_rows_;
  absl::flat_hash_map<std::pair<int32_t, ProfileFrame>, int32_t> location_rows_;
};

// ProtoProfileWriter: what the writers of pprof and of OTLP, its offspring, have in common: where they write, the
// tables of locations and strings that samples refer to, and that a reference of 0 stands for none.
class ProtoProfileWriter {
 protected:
  ProtoProfileWriter(ExportedProfile& profile, FormatOutput* output)
      : profile_(profile), model_(profile.model()), output_(output), writer_(&output->buffer()), table_(profile) {}
  ~ProtoProfileWriter() = default;

  // The locations of a stack, the innermost first, counted from 1.
  void LocationsFromOne(int32_t stack, std::vector<uint64_t>* rows) {
    table_.LocationsOf(stack, rows);
    for (uint64_t& row : *rows) ++row;
  }

  ExportedProfile& profile_;
  const ProfileModel& model_;
  FormatOutput* output_;
  ProtoWriter writer_;
  LocationTable table_;
  ProtoStrings strings_;
  const ExportedUnit unit_ = UnitOfWeights(model_);
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PROTO_PROFILE_WRITER_H_
