#ifndef GECKOPROF_TOOLS_CONVERT_MODEL_TABLES_H_
#define GECKOPROF_TOOLS_CONVERT_MODEL_TABLES_H_

#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "geckoprof/json/json_writer.h"
#include "geckoprof/json/unique_strings.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// ModelTables: the shared tables of the processed format, made from a model: its stacks and frames as they are,
// functions and source files that the frames name. Lifetime:  a view of the model.
class ModelTables {
 public:
  explicit ModelTables(const ProfileModel& model);

  // Row of the file's strings for one of the model's.
  uint32_t String(int32_t string);
  // Names of functions without a symbol are left to whoever has the library.
  bool has_bare_addresses() const { return has_bare_addresses_; }

  void WriteLibs(JsonWriter& writer) const;
  // Complete once every string has been asked for.
  void WriteShared(JsonWriter& writer);

 private:
  struct Func {
    uint32_t name = 0;
    int32_t library = kNoRow, source = kNoRow;
  };

  void AddFrame(const ProfileFrame& frame);
  uint32_t FuncName(const ProfileFrame& frame);
  void WriteStacks(JsonWriter& writer) const;
  void WriteFrames(JsonWriter& writer) const;
  void WriteFuncs(JsonWriter& writer) const;
  void WriteResources(JsonWriter& writer);
  void WriteSources(JsonWriter& writer) const;

  const ProfileModel& model_;
  bool has_bare_addresses_ = false;
  UniqueStrings strings_;
  std::vector<int64_t> string_rows_;  // by row of model.strings; -1: not asked for
  std::vector<ProfileFrame> frames_;  // the model's, then those of stacks without one
  std::vector<int32_t> frame_funcs_;
  std::vector<int32_t> stack_frames_;
  std::vector<Func> funcs_;
  std::vector<uint32_t> sources_;  // rows of the strings
  absl::flat_hash_map<std::tuple<uint32_t, int32_t, int32_t>, int32_t> func_rows_;
  absl::flat_hash_map<int32_t, int32_t> source_rows_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_MODEL_TABLES_H_
