// The tables of one recorded process. Every output is made from them.
//
//   segment(s) --[segment_reader]-> ProcessProfile --[gecko_writer]----> Gecko JSON   (in the process, or by the tools)
//                                                  --[tools/convert]----> processed    (with symbols, and of several
//                                                                                      processes)
//
// Times are ns on CLOCK_MONOTONIC of the recording machine, so the tables of several processes share one time line.
// The reader limits them to INT64_MAX / 2 in size, so that the difference of two always fits. Only markers may have
// negative times.
// Indices are rows of the vectors of the same ProcessProfile, and kNone (-1) stands for no row. A prefix is always
// smaller than the row that names it. The types do not enforce these invariants. segment_reader establishes them, and
// its tests check them.
#ifndef GECKOPROF_READER_PROCESS_PROFILE_H_
#define GECKOPROF_READER_PROCESS_PROFILE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/entries/wait_cause.h"
#include "geckoprof/reader/row_list.h"

namespace geckoprof {

// StringTable holds the texts of a profile by row number. It does not look for equal texts. SegmentTables does that for
// texts that repeat.
//
//   places_  [ 0 3 5 ... ]      one number a row, in units of kUnitBytes
//   blocks_  [ length text  length text ... ] [ length text ... ]      a text never spans two blocks
//
// Invariants: a view of a text stays valid while the table lives and after the table was moved.
// Threads: one at a time. Context: allocates.
class StringTable {
 public:
  StringTable() = default;
  StringTable(std::initializer_list<std::string_view> texts) {
    for (const std::string_view text : texts) push_back(text);
  }

  void push_back(std::string_view text);
  // REQUIRES: row < size().
  std::string_view operator[](size_t row) const;

  size_t size() const { return places_.size(); }
  bool empty() const { return places_.empty(); }

 private:
  // 2^32 units of 4 bytes are 16 GiB, far more than a recording holds.
  static constexpr size_t kUnitBytes = 4;
  static constexpr size_t kUnitsPerBlock = 16 * 1024;
  static constexpr size_t kFirstBlockBytes = 1024;

  std::vector<uint32_t> places_;
  std::vector<std::vector<char>> blocks_;  // a longer text has a larger block of its own
};

inline constexpr int32_t kNone = -1;

// A mapped object (executable, shared library, vDSO) over the time in which it was mapped.
struct LibraryRow {
  uint64_t start_avma = 0;  // of the first mapped segment
  uint64_t end_avma = 0;
  uint64_t bias = 0;     // avma = svma + bias
  std::string path;      // "[vdso]" for the vDSO
  std::string build_id;  // raw bytes of the GNU build id, may be empty
  int64_t mapped_ns = 0;
  int64_t unmapped_ns = 0;  // 0: still mapped at the end
};

enum class FrameKind : uint8_t {
  kRoot,         // "(root)": present once, row 0
  kInstruction,  // address is an instruction pointer or return address (see FrameRow::address)
  kLabel,        // text of a profiler label
  kReason,       // text says why the stack ends here
};

struct FrameRow {
  FrameKind kind = FrameKind::kInstruction;
  // kInstruction: avma. The innermost frame of a sample has the pc itself. Every other frame has a return address, and
  // so has every frame of a marker's stack. A symbol look-up subtracts 1 from a return address.
  uint64_t address = 0;
  int32_t library = kNone;  // kInstruction: row of `libraries`, by the mapping at the time of the sample
  int32_t text = kNone;     // kLabel, kReason: row of `strings`
  int32_t category = kNone;
  int32_t subcategory = kNone;
};

struct StackRow {
  int32_t prefix = kNone;  // the caller's stack; kNone for the root
  int32_t frame = 0;
};

// A row is one look at a thread. The time between two rows of a thread has three parts:
//
//   row before                                            row
//       |--- waited (the rest) ---|--- ready_ns ---|--- cpu_delta_ns ---|
struct SampleRow {
  int64_t time_ns = 0;
  int32_t stack = kNone;
  // CPU time that the thread used since its previous row. -1 stands for unknown (the first row).
  int64_t cpu_delta_ns = -1;
  // How many ticks the row stands for. It is more than 1 only for a thread that did not run. The ticks are apart_ns
  // from one another and end at time_ns. All of them have this stack and no CPU time.
  uint32_t idle_ticks = 1;
  int64_t apart_ns = 0;  // at least the interval of that time; unused for one tick
  int64_t ready_ns = 0;  // the time since the previous row in which the thread waited for a core
  SampleState state = SampleState::kRunning;
  // Only a waiting row has the rest. Nothing is known of a wait between two rows of a running thread, so such a row has
  // no cause.
  WaitCause cause = WaitCause::kNone;
  uint64_t lock_address = 0;  // 0: unknown
  int32_t holder_tid = 0;     // the thread that held the lock; 0: unknown
};

// The number of a row's state in the formats, where the first row of a wait has one of its own. Ticks of the same wait
// have a distance.
inline int64_t StateNumber(const SampleRow& row) {
  const bool begins_wait = row.state == SampleState::kWaiting && row.apart_ns == 0;
  return begins_wait ? kBeginsToWait : static_cast<int64_t>(row.state);
}

// The viewer's phases: gecko-profile-format, "markers".
enum class MarkerPhase : uint8_t { kInstant = 0, kInterval = 1, kIntervalStart = 2, kIntervalEnd = 3 };

enum class MarkerFieldKind : uint8_t {
  kText,
  kNumber,
  kInteger,
  kUnsigned,  // the bits of a uint64_t
  kBool,
  kTime,  // ns on CLOCK_MONOTONIC: shown as ms on the profile's time line
  kNs,    // a duration: shown as ms
  kNull,
  kTagged,  // a list or an object: a MarkerValueTag and the value that belongs to it, checked (tagged_value.h)
};
struct MarkerField {
  int32_t key = kNone;  // row of `strings`
  MarkerFieldKind kind = MarkerFieldKind::kText;
  int32_t text = kNone;  // kText, kTagged: row of `strings`
  double number = 0;     // kNumber
  int64_t integer = 0;   // the others
};

struct MarkerRow {
  int32_t name = 0;  // row of `strings`
  MarkerPhase phase = MarkerPhase::kInstant;
  int64_t start_ns = 0;  // unused for kIntervalEnd
  int64_t end_ns = 0;    // used for kInterval, where it is not before start_ns, and kIntervalEnd
  int32_t category = 0;
  int32_t type = kNone;  // row of `marker_types`; kNone: no payload
  int32_t stack = kNone;
  int32_t stack_tid = 0;      // the owner of the stack; 0: the thread that the marker is about
  int64_t stack_time_ns = 0;  // 0: at the marker's end, or start where it has no end
  std::vector<MarkerField> fields;

  bool HasEnd() const { return phase == MarkerPhase::kInterval || phase == MarkerPhase::kIntervalEnd; }
  int64_t StackTimeNs() const { return stack_time_ns != 0 ? stack_time_ns : HasEnd() ? end_ns : start_ns; }
};

// SampleCodec encodes the samples of a thread for RowList, about eight bytes each.
class SampleCodec {
 public:
  using Row = SampleRow;

  static size_t MaxBytes(const SampleRow&) { return 1 + 8 * kMaxLeb128Bytes; }
  void Write(const SampleRow& row, EntryBuilder& out);
  void Read(Leb128Reader& in, SampleRow& row);
  const SampleRow& last() const { return last_; }

 private:
  SampleRow last_ = {0, 0, 0};  // the row before
};
using SampleList = RowList<SampleCodec>;

// MarkerCodec encodes the markers of a thread for RowList, about ten bytes each and a few more for each field.
class MarkerCodec {
 public:
  using Row = MarkerRow;

  static size_t MaxBytes(const MarkerRow& row) { return 10 * kMaxLeb128Bytes + row.fields.size() * kMaxFieldBytes; }
  void Write(const MarkerRow& row, EntryBuilder& out);
  void Read(Leb128Reader& in, MarkerRow& row);

 private:
  static constexpr size_t kMaxFieldBytes = 3 * kMaxLeb128Bytes;

  void WriteField(const MarkerField& field, int64_t start_ns, EntryBuilder& out);
  void ReadField(Leb128Reader& in, int64_t start_ns, MarkerField& field);

  int64_t start_ns_ = 0;  // of the row before
  int32_t text_ = 0;      // of the field before
};
using MarkerList = RowList<MarkerCodec>;

struct ThreadRow {
  int32_t tid = 0;
  std::string name;
  bool is_main = false;
  int64_t registered_ns = 0;
  int64_t unregistered_ns = 0;  // 0: alive at the end
  SampleList samples;           // in order of time
  MarkerList markers;           // in order of recording
};

struct CategoryRow {
  std::string name;
  std::string color;                       // one of the viewer's colour names; at least one category is grey
  std::vector<std::string> subcategories;  // the first is "Other"
};

struct MarkerTypeField {
  std::string key, label, format;  // format: one of the viewer's names ("string", "duration", "bytes", ...), or a
                                   // table's: "table", and for each column \x1e, its label, \x1f, its format
  bool hidden = false;

  // Returns "table" for a table.
  std::string_view format_name() const { return std::string_view(format).substr(0, format.find('\x1e')); }
};
struct MarkerTypeNote {
  std::string label, value;
};
struct MarkerTypeGraph {
  std::string key, type, color;  // color: may be empty
};
struct MarkerTypeRow {
  std::string name, description, chart_label, tooltip_label, table_label;
  std::vector<std::string> display;  // "marker-chart", "marker-table", "timeline-overview", ...
  std::vector<MarkerTypeField> fields;
  std::string color_field;  // key of the field that holds a colour's name; empty: none
  bool is_stack_based = false;
  bool has_schema = true;  // false: the viewer knows the type itself
  std::vector<MarkerTypeNote> notes;
  std::vector<MarkerTypeGraph> graphs;

  // Returns the first field with the key, or null.
  const MarkerTypeField* FindField(std::string_view key) const {
    for (const MarkerTypeField& field : fields) {
      if (field.key == key) return &field;
    }
    return nullptr;
  }
};

struct CounterSample {
  int64_t time_ns = 0;
  int64_t count = 0;   // added since the row before; of the first row: all that was there by then
  int64_t number = 0;  // operations, likewise
};

// A number of the program that is read at each tick. It has a row for each change. It also has rows for the first and
// the last tick of a run without changes.
struct CounterRow {
  std::string name, category, description, unit;
  std::string color;                   // a colour name of the viewer; empty: by category
  bool has_number = false;             // operations are counted, too
  bool is_rate = false;                // the graph shows the rate of change and not the value
  int64_t since_ns = 0;                // when it was made, or, if that was before the recording, first seen
  int64_t ended_ns = 0;                // when it was destroyed; 0: it was there at the end
  std::vector<CounterSample> samples;  // in order of time; at least one
  int64_t parts = 1;                   // counts are in parts of the unit, such as 1000 for thousandths
};

struct PausedRange {
  int64_t start_ns = 0;
  int64_t end_ns = 0;  // 0: until the end
  std::string reason;  // "profiler-paused", or why the sampler stepped aside
};

// An interval that was in use before a change. The rows are in order of time.
struct EarlierInterval {
  int64_t until_ns = 0;
  int64_t interval_ns = 0;
  // If the limit of the profiler's own time ended it: what the profiler took, in hundredths of a per cent. -1: another
  // interval was asked for.
  int64_t limited_share = -1;
};

// The cost of a look of the sampler, in ns (Look).
struct LookRow {
  int64_t time_ns = 0;
  int64_t late_ns = 0;
  int64_t upkeep_ns = 0, sources_ns = 0, threads_ns = 0;
  int64_t cpu_ns = 0;  // CPU time of the sampler since the look before
};

// LookCodec encodes looks for RowList, in about 15 bytes each.
class LookCodec {
 public:
  using Row = LookRow;

  static size_t MaxBytes(const LookRow&) { return 6 * kMaxLeb128Bytes; }
  void Write(const LookRow& row, EntryBuilder& out);
  void Read(Leb128Reader& in, LookRow& row);

 private:
  int64_t time_ns_ = 0;  // of the row before
};
using LookList = RowList<LookCodec>;

// A statement about a loss of the recording itself. `what` is a stable word, such as "no-chunk" or "answer-pending".
struct LossRow {
  std::string what;
  uint64_t count = 0;
};

// The times that threads spent in our handler, one for each sample. Bucket i counts values in [upper(i-1), upper(i))
// ns.
struct PauseHistogram {
  std::vector<uint64_t> upper_ns;
  std::vector<uint64_t> counts;
};

// The signal that ended the process, as the profiler's handler saw it.
struct CrashRow {
  int signal = 0;        // 0: there was none
  int code = 0;          // siginfo's si_code; the kernel sent the signal if it is positive
  uint64_t address = 0;  // of the fault; or the id of the process that sent the signal
  uint64_t pc = 0;
  int64_t time_ns = 0;
  int32_t tid = 0;
  int32_t stack = kNone;    // as the stack of a marker
  std::string sender = {};  // the name of the process that sent the signal; empty: the kernel, or unknown
};

// The data that a process wrote at its normal end. The CPU times are without the sampler, whose time is taken out of
// both in proportion.
struct ExitRow {
  int status = -1;  // -1: unknown
  int64_t user_cpu_ns = 0, system_cpu_ns = 0;
  uint64_t peak_memory_bytes = 0;
};

// The begin of the problem that tells of data that was dropped at the capacity.
inline constexpr std::string_view kDroppedDataProblem = "Data of the first ";
// Returns that problem, for data of a process up to a time. `dropped_for` is bits of DroppedFor.
std::string DroppedDataText(int64_t dropped_ns, uint32_t dropped_for);
// Returns the limits as the rest of a sentence, such as "the recording had reached its capacity".
std::string_view DroppedForText(uint32_t dropped_for);

// The begin of the problem that tells of an interval that the limit of the profiler's own time made longer.
inline constexpr std::string_view kLongerIntervalProblem = "The interval was up to ";

// The begin of the problem that names features whose hooks the process did not have.
inline constexpr std::string_view kMissingHooksProblem =
    "Not recorded, because libgeckoprofiler_hooks.so is not in the process: ";

struct ProcessProfile {
  int32_t pid = 0;
  int32_t parent_pid = 0;
  uint32_t pid_namespace = 0;  // the kernel's number of the namespace of `pid`; 0: unknown
  // The kernel's start time of the process, in ticks since the machine's start. It tells a process from a later one
  // with the same pid. 0: unknown.
  uint64_t process_start_ticks = 0;
  uint32_t pid_space = 0;    // n: of the processes of a session with this pid, this is the nth other one
  uint32_t image = 0;        // 0 for the first program this pid ran, 1 after its first exec, ...
  std::string executable;    // path; empty if the process ended before it was written, as are the arguments
  std::string command_name;  // up to 15 bytes of the program's name; empty: a version that did not write it
  std::vector<std::string> arguments;
  std::string given_name;     // the name that the program gave this process, or empty
  int64_t given_name_ns = 0;  // since when

  int64_t exec_ns = 0;  // the time of exec, or 0 if it is unknown
  // A time shortly before exec, or 0 if it is unknown. It is the time of the fork for the first program of a process.
  int64_t before_exec_ns = 0;
  int64_t constructor_ns = 0;  // when our constructor ran
  int64_t start_ns = 0;        // time zero of this process in the output
  double start_epoch_ms = 0;   // the same instant in ms since the Unix epoch
  int64_t recording_ns = 0;    // when recording began; 0: with the process
  int64_t last_tick_ns = 0;    // 0: unknown
  int64_t end_ns = 0;          // the recording's: last sign of life, or when it was read in the process itself
  std::string end_reason;      // "alive", "exited", "exec", "killed by signal 9", or why recording stopped
  std::string end_text;  // the end of the recorded program in the shell's words, in the first process of a session
  CrashRow crash;
  ExitRow exit;
  int64_t cpu_ns = -1;  // CPU time of the process with all its programs and samplers at its normal end; -1: unknown

  int64_t interval_ns = 0;        // at the end
  int64_t asked_interval_ns = 0;  // what was asked for last; 0: interval_ns
  uint32_t overhead_limit = 0;    // of the profiler's own time, in hundredths of a per cent; 0: none
  std::vector<EarlierInterval> earlier_intervals;
  LookList looks;               // in order of time, except for recycled ones
  uint64_t capacity_bytes = 0;  // that there are, which may be less than was asked for
  std::vector<std::string> features, filters;

  std::vector<LibraryRow> libraries;  // in order of mapping; ranges may repeat at different times
  std::vector<CategoryRow> categories;
  std::vector<MarkerTypeRow> marker_types;
  StringTable strings;
  // Returns the text of a row of `strings`, or an empty one if there is no such row.
  std::string_view Text(int32_t row) const {
    return row < 0 || static_cast<size_t>(row) >= strings.size() ? std::string_view()
                                                                 : strings[static_cast<size_t>(row)];
  }
  std::vector<FrameRow> frames;      // row 0 is the root frame
  std::vector<StackRow> stacks;      // row 0 is {kNone, frame 0}
  std::vector<ThreadRow> threads;    // main thread first, then by registration
  std::vector<CounterRow> counters;  // in order of their definition
  std::vector<PausedRange> paused;
  std::vector<LossRow> losses;
  std::vector<std::string> problems;  // differences from the request, one sentence each
  bool is_separated = false;          // its children may not reach the session; a problem says why
  PauseHistogram pauses;
  uint64_t samples_asked = 0;  // signals sent and stacks read
  uint64_t samples_taken = 0;
  std::string sampled_by;      // the clocks that interrupted running threads for samples, and the rate that was reached
  std::string core_speeds;     // the frequencies of the machine's cores as a text; empty: unknown
  int64_t sampler_cpu_ns = 0;  // CPU time that the sampler used
  int64_t handler_ns = 0;      // time that threads spent in our handler; 0: unknown
  uint64_t segment_bytes_used = 0;  // bytes of entries written by the sampler, for the mean size of a sample
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_PROCESS_PROFILE_H_
