#ifndef GECKOPROF_TOOLS_PROFILE_MODEL_BUILDER_H_
#define GECKOPROF_TOOLS_PROFILE_MODEL_BUILDER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/status/status.h"
#include "tools/json/json_document.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// Names of functions, files, threads and the like have at most this many bytes. Many rows may have the same name, and
// writers and tables have it once for each row. The longest names of real C++ programs have a few KiB.
inline constexpr size_t kMaxNameBytes = size_t{6} << 10;

// ModelBuilder: the part of loading that both formats share: interning of strings and functions, what `meta` says, the
// tables that stacks are made of, and reading one number or index with an error that names its place.
//
// A format's tables are those of a thread or of a whole file. The builder keeps one set of them and turns their rows
// into the model's: start with the strings, then frames, then stacks; samples and markers refer to the last set.
// Threads:   one. Lifetime:  the model outlives the builder.
class ModelBuilder {
 public:
  // `text_bytes` and `ratio` bound the memory of the model (MostModelBytes).
  explicit ModelBuilder(ProfileModel* model, ProfileDetail detail = ProfileDetail::kSummary, size_t text_bytes = 0,
                        size_t ratio = kJsonRatio)
      : model_(model),
        is_full_(detail == ProfileDetail::kFull),
        most_bytes_(MostModelBytes(text_bytes, ratio)),
        string_rows_(0, TextHash{model}, TextEqual{model}) {}

  ProfileModel& model() { return *model_; }
  bool is_full() const { return is_full_; }

  // Two bytes of a hostile text ask for a sample of 72 bytes. Real profiles ask for a small multiple of their length.
  static constexpr size_t kJsonRatio = 6, kPprofRatio = 4, kLinesRatio = 3;
  static constexpr size_t MostModelBytes(size_t text_bytes, size_t ratio) {
    constexpr size_t kLeastBytes = size_t{96} << 20;
    return text_bytes > kLeastBytes / ratio ? text_bytes * ratio : kLeastBytes;
  }
  // Counts memory of the model. The builder counts what it adds itself. Its callers count their samples and markers,
  // and check the size before they add many rows.
  void Count(size_t bytes) { bytes_ += bytes; }
  bool IsTooLarge() const { return bytes_ > most_bytes_; }
  // Counts `rows` of a table, and returns an error if the model is too large with them.
  absl::Status CountRows(size_t rows, size_t row_bytes);
  // Counts a row's name, a row of the strings, which is written for each row.
  absl::Status CountName(int32_t name) {
    return CountRows(1, std::min(model_->strings[static_cast<size_t>(name)].size(), kMaxNameBytes));
  }
  // Does so for the array `key` of each element of a list, as of the entries of all sections.
  absl::Status CountInner(JsonView list, std::string_view key, size_t row_bytes);

  // Rows of model().strings and .functions, one for each different text or (name, library).
  int32_t Intern(std::string_view text);
  int32_t Function(std::string_view name, std::string_view library);
  int32_t Function(int32_t name, int32_t library);

  void StartStrings(JsonView texts);
  // A row of the strings, as one of model().strings; null is a fault.
  absl::StatusOr<int32_t> ReadString(JsonView index, const JsonPath& path) const;
  absl::Status StartFrames(size_t rows);
  void AddFrame(int32_t function, int32_t category) { frames_.push_back({function, category, kNoRow}); }
  // With what only kFull has.
  void AddFrame(const ProfileFrame& frame) { frames_.push_back({frame.function, frame.category, FrameRow(frame)}); }
  // Rows of the model, each different one once.
  int32_t FrameRow(const ProfileFrame& frame);
  int32_t Library(const ProfileLibrary& library);
  absl::Status StartStacks(size_t rows, const JsonPath& path);
  // `caller`: an earlier row of the table, or kNoRow. A stack without a category of its own has its caller's.
  absl::Status AddStack(int32_t caller, JsonView frame, const JsonPath& frame_path);
  // A row of the stacks, as one of model().stacks.
  absl::StatusOr<int32_t> ReadStack(JsonView index, const JsonPath& path) const;
  // The caller and the frame are rows of the model: for readers of formats without tables.
  int32_t AddModelStack(int32_t prefix, int32_t frame);
  void AddSample(const ProfileSample& sample, ProfileThread* thread);
  // What a format's row says of the thread's state. All numbers may be anything.
  struct StateCells {
    JsonView state, cause, ready, lock, holder;
  };
  // Fills in what the cells say. `before` is the thread's sample before, or null.
  void ReadState(const StateCells& cells, const ProfileSample* before, ProfileSample* sample);

  // Product, command line, interval, categories, units: all but the version and the extra sections.
  absl::Status ReadMeta(JsonView meta);
  // The recording goes on until then at least, by a process of its own: no change where the end is not known.
  void ExtendTo(double end_ms);
  // ns for one threadCPUDelta by meta.sampleUnits; 0 where the unit is no time.
  // A threadCPUDelta in ns, -1 where it is unknown.
  int64_t CpuNs(JsonView value) const;

 private:
  // Rows of the strings, found by a text that may not be one of them: no text is kept twice.
  struct TextHash {
    using is_transparent = void;
    const ProfileModel* model;
    size_t operator()(std::string_view text) const { return absl::Hash<std::string_view>()(text); }
    size_t operator()(int32_t row) const { return (*this)(model->strings[static_cast<size_t>(row)]); }
  };
  struct TextEqual {
    using is_transparent = void;
    const ProfileModel* model;
    bool operator()(int32_t a, int32_t b) const { return a == b; }
    bool operator()(int32_t row, std::string_view text) const {
      return model->strings[static_cast<size_t>(row)] == text;
    }
    bool operator()(std::string_view text, int32_t row) const { return (*this)(row, text); }
  };

  ProfileModel* model_;
  bool is_full_;
  const size_t most_bytes_;
  size_t bytes_ = 0;
  double cpu_unit_ns_ = 1;
  absl::flat_hash_set<int32_t, TextHash, TextEqual> string_rows_;  // of model().strings, by their text
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> function_rows_;
  absl::flat_hash_map<ProfileFrame, int32_t> frame_rows_;
  absl::flat_hash_map<std::string, int32_t> library_rows_;  // by path and both ids
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> stack_rows_;

  struct Frame {
    int32_t function = 0;
    int32_t category = kNoRow;
    int32_t frame = kNoRow;  // row of the model
  };
  std::vector<int32_t> strings_;
  std::vector<Frame> frames_;
  size_t first_stack_ = 0;
  size_t stacks_ = 0;
};

// "$.threads[3].name: what".
absl::Status FaultAt(const JsonPath& path, std::string_view what);
// What is no index below `limit`: null and missing are kNoRow, anything else a fault.
absl::StatusOr<int32_t> NoIndex(JsonView value, size_t limit, const JsonPath& path);
// An index below `limit`; null and missing are kNoRow.
inline absl::StatusOr<int32_t> ReadIndex(const JsonView& value, size_t limit, const JsonPath& path) {
  const std::optional<int64_t> index = value.AsInteger();
  if (index.has_value() && static_cast<uint64_t>(*index) < limit && *index <= INT32_MAX) {
    return static_cast<int32_t>(*index);
  }
  return NoIndex(value, limit, path);
}
// Likewise, of the row that a stack is called by: any other number is of no earlier row.
absl::StatusOr<int32_t> ReadCaller(JsonView value, size_t limit, const JsonPath& path);
// 0..3, null and missing are an instant.
absl::StatusOr<ProfileMarkerPhase> ReadPhase(JsonView value, const JsonPath& path);
// A member that must be an array or an object.
absl::StatusOr<JsonView> NeedArray(JsonView object, std::string_view key, const JsonPath& path);
absl::StatusOr<JsonView> NeedObject(JsonView object, std::string_view key, const JsonPath& path);
// A time or weight in the range where sums of millions of them stay finite; else 0.
double ReadTimeMs(JsonView value);
double ReadWeight(JsonView value);
double BoundedWeight(double weight);
// A string, or a number as its shortest text; else empty.
std::string TextOf(JsonView value);
// `format`: "bytes", or anything else.
ProfileSection::Entry SectionEntry(std::string_view label, JsonView value, std::string_view format);
// The name of a library is that of a file.
inline constexpr size_t kMaxLibraryNameBytes = 255;
// Returns a name that is cut to `most_bytes`, and then ends with "…".
std::string CutName(std::string_view name, size_t most_bytes);
// Cuts longer names of a model, so that they end with "…". Their number is in model->cut_names and in a section.
void CutLongNames(ProfileModel* model);
// Adds the sections of meta.extra: [{label, entries:[{label, format, value}]}]. The viewer shows those of a processed
// profile in "Profile Info".
void LoadExtra(JsonView extra, std::vector<ProfileSection>* sections);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_MODEL_BUILDER_H_
