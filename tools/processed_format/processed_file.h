#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_PROCESSED_FILE_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_PROCESSED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "geckoprof/gecko_json/format_versions.h"
#include "geckoprof/json/json_writer.h"
#include "geckoprof/reader/process_profile.h"
#include "tools/processed_format/shared_tables.h"

namespace geckoprof {

// ProcessedSource is what a profile in the processed format is made from. It has the rows. The functions below know the
// names of all members and columns, and when a column is left out.
//
//   segments of a recording: WriteProcessedProfile -.
//   Gecko JSON: GeckoSymbolication ------------------+-> WriteProcessedFile -> JSON
//   several profiles: MergedProfile -----------------+   StartThread, WriteSamples, WriteMarkers, WriteCounter,
//   a model of another format: WriteModel -----------'   WriteHead, ExtraSection
//
// A file of the processed format is changed and not made: ProcessedSymbolication copies its members, in its version.
// The shared tables come from WriteSharedTables there, too.
// Order: WriteProcessedFile calls the functions in their order here, each once. A source may fill the shared tables
// while it writes the threads, and need not keep the tables of a thread.
// Threads: one at a time.
class ProcessedSource {
 public:
  virtual ~ProcessedSource() = default;

  // Writes the elements of "threads": StartThread, WriteSamples, WriteMarkers, and the end of the object.
  virtual void WriteThreads(JsonWriter& writer) = 0;
  // Writes the elements of "counters" by WriteCounter. A file without counters has no such member.
  virtual bool HasCounters() const = 0;
  virtual void WriteCounters(JsonWriter& writer) = 0;
  // Writes the member "profilerOverhead", if there is one.
  virtual void WriteOverhead(JsonWriter&) {}
  // Writes the elements of "pages".
  virtual void WritePages(JsonWriter&) {}
  // Writes further members of the file that are known to viewers.
  virtual void WriteMore(JsonWriter&) {}
  // Writes further members of "shared".
  virtual void WriteMoreTables(JsonWriter&) {}
  // Writes the members of "meta": WriteHead, and those that only this source has.
  virtual void WriteMeta(JsonWriter& writer) = 0;
};

// Writes a whole profile. The source fills `tables`.
void WriteProcessedFile(ProcessedSource& source, const SharedTables& tables, JsonWriter& writer,
                        int version = ProcessedVersion::kWritten);

// Returns a time of the file in whole ns, without the digits that a double adds.
JsonNumber TimeCell(double time_ms);

// ProcessedThread has what is known of a thread besides its tables. Times are of the file, or null if they are unknown.
struct ProcessedThread {
  struct Pause {
    JsonNumber start_time, end_time;
    std::string_view reason;
  };
  std::string_view process_type = "default";
  JsonNumber process_startup_time, process_shutdown_time, register_time, unregister_time;
  std::vector<Pause> paused;
  std::string name;
  bool is_main = false;
  std::string process_name, pid, parent_pid;  // empty: unknown
  std::optional<int64_t> tid;
  bool shows_markers = false;  // in the timeline
};
// Opens the object of a thread.
void StartThread(const ProcessedThread& thread, JsonWriter& writer);

// Fills in the cells of a column for the rows from `first_row` on. Portions come in order of the rows. A column may be
// asked for twice, from its first row on again. kStack is not.
template <typename Column>
using FillColumn = absl::FunctionRef<void(Column column, size_t first_row, std::span<JsonNumber> cells)>;

// The columns of "samples". Some are left out if they say nothing:
//
//   kWeight                              each is 1
//   kEventDelay, kCpuDelta               each is null
//   kState                               the table has no states
//   kWaitCause, kReadyDelta, kLock*      each is 0 or null
//
// Readers other than ours do not know the columns from kState on.
enum class SampleColumn : uint8_t {
  kStack,
  kTime,
  kWeight,
  kEventDelay,
  kCpuDelta,
  kState,
  kWaitCause,
  kReadyDelta,
  kLock,
  kLockHolder,
};
struct SampleTable {
  size_t rows = 0;
  bool has_states = false;  // it is known what the thread did at each sample
  std::string_view weight_type = "samples";
};
void WriteSamples(const SampleTable& table, FillColumn<SampleColumn> fill, JsonWriter& writer);

// The columns of "markers" with numbers. kName is a row of the strings.
enum class MarkerColumn : uint8_t { kName, kStartTime, kEndTime, kPhase, kCategory };
// Return whether a marker of this phase has the time. The column has null otherwise.
inline bool HasStartTime(int64_t phase) { return phase != static_cast<int64_t>(MarkerPhase::kIntervalEnd); }
inline bool HasEndTime(int64_t phase) {
  return phase == static_cast<int64_t>(MarkerPhase::kInterval) ||
         phase == static_cast<int64_t>(MarkerPhase::kIntervalEnd);
}
// `write_data` writes the payload of a row, or null.
void WriteMarkers(size_t rows, FillColumn<MarkerColumn> fill, absl::FunctionRef<void(size_t row)> write_data,
                  JsonWriter& writer);
// Writes the member of a payload that says where the marker was added. A negative stack writes nothing.
void WriteCause(JsonNumber tid, JsonNumber time, int32_t stack, JsonWriter& writer);

// The columns of "nativeAllocations". The weight of a free is negative, and is that of the allocation with its address.
enum class AllocationColumn : uint8_t { kTime, kWeight, kStack, kAddress, kThread };
void WriteNativeAllocations(size_t rows, FillColumn<AllocationColumn> fill, JsonWriter& writer);

// The columns of a counter's samples.
enum class CounterColumn : uint8_t { kTime, kCount, kNumber };
// Writes a whole counter. `counter` says what it is, and its samples are not used. It is shown below the track of the
// thread with the number `main_thread`.
void WriteCounter(const CounterRow& counter, std::string_view pid, size_t main_thread, size_t rows,
                  FillColumn<CounterColumn> fill, JsonWriter& writer);

// ProfileHead has the members of "meta" that all sources know. Null and empty ones are left out.
struct ProfileHead {
  double start_epoch_ms = 0;
  JsonNumber start_monotonic_ns;
  std::string boot_id;
  JsonNumber recording_start_time, recording_end_time;
  JsonNumber interval;
  bool walked_stacks = true;
  std::string product, oscpu, cpu_name, command_line;
  uint32_t logical_cpus = 0;
  std::string_view imported_from;
  bool has_symbols = true;
  bool is_final = false;  // viewers must not look up symbols
  std::span<const CategoryRow> categories;
  std::span<const MarkerTypeRow> marker_types;
};
void WriteHead(const ProfileHead& head, JsonWriter& writer);
// Writes those members of "meta" alone that no source can copy from a file of another format.
void StartMeta(std::span<const MarkerTypeRow> marker_types, bool has_symbols, JsonWriter& writer);

// ExtraSection writes one section of the viewer's "Profile info", an element of meta.extra.
class ExtraSection {
 public:
  ExtraSection(std::string_view label, JsonWriter& writer);
  ~ExtraSection();
  ExtraSection(const ExtraSection&) = delete;
  ExtraSection& operator=(const ExtraSection&) = delete;

  void Text(std::string_view label, std::string_view value);
  void Number(std::string_view label, std::string_view format, uint64_t value);
  void Duration(std::string_view label, int64_t ns);

 private:
  void Start(std::string_view label, std::string_view format);

  JsonWriter& writer_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_PROCESSED_FILE_H_
