#ifndef GECKOPROF_GECKO_JSON_GECKO_THREAD_WRITER_H_
#define GECKOPROF_GECKO_JSON_GECKO_THREAD_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/gecko_json/gecko_categories.h"
#include "geckoprof/gecko_json/gecko_library_map.h"
#include "geckoprof/json/json_writer.h"
#include "geckoprof/json/unique_strings.h"
#include "geckoprof/reader/process_profile.h"
#include "geckoprof/reader/profile_facts.h"

namespace geckoprof {

// GeckoThreadWriter writes the threads of one process, one after the other. Each thread has tables of its own.
//
//   tables of the process (all threads)            tables in the output (this thread's rows only, renumbered)
//   stacks [0 1 2 3 4 5 ...]  --samples, markers-> stackTable [0 2 5]
//   frames [0 1 2 3 4 ...]    --stackTable-------> frameTable [0 3 4]
//   strings                   --frameTable-------> stringTable
//
// A thread's samples come before its tables in the file. Rows are therefore numbered at their first use and written
// afterwards. The numbers of all threads share one array per table. Each number is stamped with the thread's turn, so
// nothing is cleared between threads.
//
// Lifetime: a view of all constructor arguments.
class GeckoThreadWriter {
 public:
  // Viewers expect a row for each tick at which a thread did not run. A damaged file may claim ticks since the
  // machine's start. The limit is for all processes of a profile, and is about half a GB of output.
  static constexpr uint64_t kMaxIdleRows = uint64_t{1} << 24;

  // `category_numbers` has the number in `categories` for each category of the process. `idle_rows_left` says how many
  // more idle rows may be written, and goes down. At 0, only the first and the last tick of each idle run are written.
  GeckoThreadWriter(const ProcessProfile& process, const GeckoLibraryMap& libraries, const GeckoCategories& categories,
                    const std::vector<int32_t>& category_numbers, JsonWriter& writer, uint64_t* idle_rows_left);

  // `name` is the name in the viewer, which is "GeckoMain" for the main thread.
  void Write(const ThreadRow& thread, std::string_view name);

 private:
  // A row of the process's table, as it is shown for threads in one state.
  struct ShownRow {
    int32_t row;
    StateLook look = StateLook::FromNumber(StateLook::kRunning);
  };
  // The numbers of one table's rows. A number is valid if its turn is the current one.
  struct Numbers {
    std::vector<uint32_t> turn, number;
    explicit Numbers(size_t row_count = 0) : turn(row_count, 0), number(row_count, 0) {}
  };
  // Rows of one table, renumbered in order of first use.
  struct Renumbering {
    Numbers plain;                       // by row
    Numbers waiting[StateLook::kCount];  // of rows that are shown for waiting threads, by row + 1; empty until used
    std::vector<ShownRow> rows;          // by number
    explicit Renumbering(size_t row_count) : plain(row_count) {}
    bool IsCurrent(size_t row, uint32_t current_turn) const { return plain.turn[row] == current_turn; }
    uint32_t Add(size_t row, uint32_t current_turn);
    uint32_t Find(const ShownRow& shown, uint32_t current_turn);  // of a waiting thread; adds it if it is new
  };

  void WriteHead(const ThreadRow& thread, std::string_view name);
  void WriteSamples(const ThreadRow& thread);
  void WriteSampleRow(int32_t stack, const SampleRow& sample);
  void WriteMarkers(const ThreadRow& thread);
  void WriteMarkerData(const ThreadRow& thread, const MarkerRow& marker);
  void WriteMarkerStack(const ThreadRow& thread, const MarkerRow& marker);
  void WriteMarkerField(const MarkerField& field, const MarkerTypeRow& type);
  void WriteStackTable();
  void WriteFrameTable();
  void WriteFrame(const ShownRow& shown);
  void WriteCategory(int32_t category, int32_t subcategory);

  // Returns the stack's number in this thread's stackTable. The stack and its callers get numbers if they have none
  // yet. Returns kNone if there is no such stack.
  int32_t StackNumber(int32_t stack);
  // Returns the number of the stack that shows a sample. A waiting thread always has one.
  int32_t SampleStackNumber(const SampleRow& sample);
  StackRow ShownStack(const ShownRow& shown) const;
  int32_t CategoryNumber(int32_t category) const;
  // `category` is the number of the frame's category.
  int32_t SubcategoryNumber(int32_t category, const FrameRow& frame) const;
  std::string_view Text(int32_t string) const;
  int64_t Relative(int64_t time_ns) const { return RelativeNs(time_ns, process_.start_ns); }

  const ProcessProfile& process_;
  const GeckoLibraryMap& libraries_;
  const GeckoCategories& categories_;
  const std::vector<int32_t>& category_numbers_;
  JsonWriter& writer_;
  const std::string process_name_;
  const int64_t pid_;

  uint64_t* idle_rows_left_;
  uint32_t turn_ = 0;
  Renumbering stacks_;
  Renumbering frames_;
  UniqueStrings strings_;
  std::vector<int32_t> path_;  // scratch of StackNumber
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_GECKO_THREAD_WRITER_H_
