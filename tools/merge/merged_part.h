#ifndef GECKOPROF_TOOLS_MERGE_MERGED_PART_H_
#define GECKOPROF_TOOLS_MERGE_MERGED_PART_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "geckoprof/json/json_writer.h"
#include "tools/json/json_document.h"
#include "tools/merge/merged_categories.h"
#include "tools/merge/merged_marker_types.h"
#include "tools/merge/merged_pids.h"
#include "tools/processed_format/shared_tables.h"
#include "tools/symbolicate/shared_tables_reader.h"

namespace geckoprof {

// MergedPart writes the threads, counters, overhead and pages of one profile into the merged one. Everything is copied,
// apart from what has another value there:
//
//   times                         shifted
//   stacks, strings, categories   rows of the merged profile's tables
//   types of markers              their names in the merged profile
//   pids, ids of pages            told apart from those of the profiles before
//   names of processes            with the host, if there are several
//   CPU times                     in the unit of the merged profile
//
// Lifetime: a view of everything given. Threads: one at a time.
class MergedPart {
 public:
  // The numbers that the profile's own numbers become.
  struct Numbers {
    double shift_ms = 0;
    size_t first_thread = 0;
    int64_t first_location = 0;
    std::string host;  // empty: there is one host
    CategoryNumbers categories;
    MergedMarkerTypes::Types marker_types;
    MergedPids pids;
    bool may_name_pids_of_others = false;               // a parent may be a process of another profile
    absl::flat_hash_map<int64_t, int64_t> pages, tabs;  // those that change
    std::optional<double> cpu_factor;                   // of CPU times; none: they are left out
  };

  MergedPart(JsonView profile, Numbers numbers, const MergedMarkerTypes& types, SharedTables& tables)
      : profile_(profile),
        numbers_(std::move(numbers)),
        types_(types),
        tables_(tables),
        reader_(profile, tables, numbers_.first_location) {}

  // Adds the rows of the shared tables. `fallback` is the merged profile's category of stacks that have none.
  absl::Status Load(int32_t fallback);

  void WriteThreads(JsonWriter& writer);
  void WriteCounters(JsonWriter& writer) const;
  void WriteOverhead(JsonWriter& writer) const;
  void WritePages(JsonWriter& writer) const;
  // Writes the members of an object with one member for each process.
  void WriteLog(std::string_view key, JsonWriter& writer) const;

  const SharedTablesReader& reader() const { return reader_; }
  const Numbers& numbers() const { return numbers_; }
  JsonView profile() const { return profile_; }

 private:
  SharedTables::Frame PlaceOf(size_t frame) const;
  JsonNumber TimeOf(JsonView time) const;
  void WriteTime(JsonView time, JsonWriter& writer) const { writer.Number(TimeOf(time)); }
  // Writes "time" or "timeDeltas". Returns false if the key is none of them.
  bool WriteTimes(std::string_view key, JsonView column, JsonWriter& writer) const;
  void WriteThread(JsonView thread, JsonWriter& writer);
  void WriteNames(JsonView thread, JsonWriter& writer) const;
  void WritePauses(JsonView ranges, JsonWriter& writer) const;
  void WriteStackTable(JsonView table, JsonWriter& writer) const;
  void WriteMarkers(JsonView markers, JsonWriter& writer);
  void WriteMarkerData(JsonView data, JsonWriter& writer);
  void WriteCause(JsonView cause, JsonWriter& writer) const;
  void WriteCounter(JsonView counter, size_t thread, JsonWriter& writer) const;
  void WriteOlderCounter(JsonView counter, std::string_view pid, size_t thread, JsonWriter& writer) const;
  // Writes a table without stacks, whose times are shifted.
  void WriteTimedTable(JsonView table, JsonWriter& writer) const;
  // Returns the number in the merged profile of the main thread of a counter or an overhead, if there is one.
  std::optional<size_t> MainThreadOf(JsonView owned) const;
  const MergedMarkerTypes::Type& TypeOf(std::string_view type);

  const JsonView profile_;
  Numbers numbers_;
  const MergedMarkerTypes& types_;
  SharedTables& tables_;
  SharedTablesReader reader_;
  std::vector<int32_t> frames_, root_frames_;  // rows of the tables, those of roots with the fallback's category
  int32_t fallback_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_MERGE_MERGED_PART_H_
