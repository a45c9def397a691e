#ifndef GECKOPROF_TOOLS_MERGE_MERGED_PROFILE_H_
#define GECKOPROF_TOOLS_MERGE_MERGED_PROFILE_H_

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "geckoprof/json/json_writer.h"
#include "tools/merge/clock_offsets.h"
#include "tools/merge/merge_input.h"
#include "tools/merge/merged_categories.h"
#include "tools/merge/merged_marker_types.h"
#include "tools/merge/merged_part.h"
#include "tools/processed_format/processed_file.h"
#include "tools/processed_format/shared_tables.h"

namespace geckoprof {

// MergedProfile writes several profiles as one, in the processed format. Its version is the newest one of the inputs,
// and at least ProcessedVersion::kWritten. Its time zero is that of the earliest input. The first input gives product,
// command line and configuration. Facts about the machine are there if all inputs have the same.
// Lifetime: a view of the inputs. Threads: one at a time.
class MergedProfile final : private ProcessedSource {
 public:
  // REQUIRES: there is an input, and one offset for each.
  MergedProfile(std::span<const MergeInput> inputs, std::span<const ClockOffset> offsets);

  // An error names the input.
  absl::Status Load();
  // REQUIRES: Load was OK.
  void Write(JsonWriter& writer) { WriteProcessedFile(*this, tables_, writer, version_); }

  // Returns sentences that the user should read. They are complete after Load.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  // Ids of pages or tabs, which are told apart.
  struct PageIds {
    absl::flat_hash_set<int64_t> taken;
    int64_t last = 0;  // the largest one of all inputs

    // Returns new ids for those of the profile that an earlier profile has.
    absl::flat_hash_map<int64_t, int64_t> Add(JsonView pages, std::string_view key);
  };

  double FirstOffsetMs() const;
  MergedPart::Numbers NumbersOf(size_t input);
  std::optional<double> CpuFactorOf(const MergeInput& input);
  void CompareIntervals();
  bool HasAll(std::string_view flag) const;
  bool IsOneBoot() const;
  void WriteThreads(JsonWriter& writer) override;
  bool HasCounters() const override;
  void WriteCounters(JsonWriter& writer) override;
  void WriteOverhead(JsonWriter& writer) override;
  void WritePages(JsonWriter& writer) override;
  void WriteMore(JsonWriter& writer) override;
  void WriteMoreTables(JsonWriter& writer) override;
  void WriteMeta(JsonWriter& writer) override;
  void WriteClock(JsonWriter& writer) const;
  void WriteFlags(JsonWriter& writer) const;
  void WriteExtra(JsonWriter& writer) const;

  const std::span<const MergeInput> inputs_;
  const std::span<const ClockOffset> offsets_;
  int version_;
  bool has_one_cpu_unit_ = true;
  double interval_ms_ = 0;
  SharedTables tables_;
  MergedCategories categories_;
  MergedMarkerTypes marker_types_;
  MergedPids pids_;
  PageIds pages_, tabs_;
  std::deque<MergedPart> parts_;  // whose addresses stay
  std::vector<std::string> notes_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_MERGE_MERGED_PROFILE_H_
