// What report knows of a profile file, Gecko or processed: plain tables, one set for the whole file.
//
//   file --[ReadProfileFile]--> text --[JsonDocument]--> values --[GeckoLoader | ProcessedLoader]--> ProfileModel
//
// Indices are rows of the vectors of the same ProfileModel, kNoRow (-1) means "none". The loaders establish, whatever
// the file says: every index is in range, a stack's prefix is an earlier row than the stack, and times, weights and CPU
// times are finite. Times are ms since the start of the file's first process: those of subprocesses have been shifted
// to it.
//
// What only a conversion needs (frames, libraries, data of markers, rows of counters, what a thread's life was) is
// there where the loader was asked for ProfileDetail::kFull.
#ifndef GECKOPROF_TOOLS_PROFILE_PROFILE_MODEL_H_
#define GECKOPROF_TOOLS_PROFILE_PROFILE_MODEL_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "geckoprof/entries/wait_cause.h"
#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

inline constexpr int32_t kNoRow = -1;

enum class ProfileFormat : uint8_t { kGecko, kProcessed };

enum class ProfileDetail : uint8_t { kSummary, kFull };

// A file that code was mapped from.
struct ProfileLibrary {
  std::string name, path;
  std::string breakpad_id, code_id;  // code_id: the build id in hex digits; empty: unknown

  bool operator==(const ProfileLibrary&) const = default;
};

struct ProfileFunction {
  int32_t name = 0;          // row of `strings`; of an address without a symbol "libc.so.6+0x1c15"
  int32_t library = kNoRow;  // row of `strings`: the library's name
};

// Where in a function: no two rows are alike. Of functions inlined at one address each has a row of its own.
struct ProfileFrame {
  int64_t address = -1;      // counted from the library's first mapped byte; -1: none
  int32_t function = 0;      // row of `functions`
  int32_t library = kNoRow;  // row of `libraries`
  int32_t source = kNoRow;   // row of `strings`: path of the source file
  int32_t line = 0;          // 0: unknown
  int32_t column = 0;        // 0: unknown
  int32_t category = kNoRow;
  int32_t inline_depth = 0;  // 0: the outermost

  bool operator==(const ProfileFrame&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, const ProfileFrame& f) {
    return H::combine(std::move(h), f.address, f.function, f.library, f.source, f.line, f.column, f.category,
                      f.inline_depth);
  }
};

// A call path: `prefix` called `function`. Inline functions are rows of their own.
struct ProfileStack {
  int32_t prefix = kNoRow;
  int32_t function = 0;
  int32_t category = kNoRow;  // row of `categories`; that of the nearest caller which has one
  int32_t frame = kNoRow;     // row of `frames`
};

struct ProfileSample {
  double time_ms = 0;
  double weight = 1;    // how many samples it stands for; 0: it is a gap, or the file's cannot be counted
  int64_t cpu_ns = -1;  // used since the sample before; -1: unknown
  int32_t stack = kNoRow;
  SampleState state = SampleState::kRunning;  // also if the file does not say, see ProfileThread::has_states
  WaitCause cause = WaitCause::kNone;         // of kWaiting; none: unknown
  int64_t ready_ns = 0;                       // of waiting for a core since the sample before
  // The time of waiting that CompleteWaits gives to this sample. A waiting sample has the time until the next one.
  // Waits without a stack were too short to be seen. They come before a sample, and have its cause.
  int64_t wait_ns = 0;
  int64_t short_wait_ns = 0;
  int32_t lock_wait = kNoRow;  // row of `lock_waits`
  bool begins_wait = false;    // of kWaiting: it is another wait than that of the sample before
};

// A wait for a lock. All samples of the wait name it.
struct ProfileLockWait {
  uint64_t address = 0;           // 0: unknown
  int64_t holder_tid = 0;         // the thread that held the lock; 0: unknown
  int32_t holder = kNoRow;        // row of `strings`: the name of that thread, if its process has one
  int32_t holder_stack = kNoRow;  // row of `stacks`: where it was in the wait
};

enum class ProfileMarkerPhase : uint8_t { kInstant = 0, kInterval = 1, kIntervalStart = 2, kIntervalEnd = 3 };

// A value of a marker, as it is written: its schema says how it is shown.
struct ProfileMarkerField {
  enum class Kind : uint8_t { kText, kNumber, kBool, kJson };
  int32_t key = 0;  // row of `strings`
  Kind kind = Kind::kText;
  int32_t text = kNoRow;  // row of `strings`; of kJson a list, a table or an object, as JSON
  double number = 0;      // finite; of kBool 0 or 1
};

struct ProfileMarkerData {
  int32_t type = kNoRow;     // row of `strings`: the name of the schema
  int32_t stack = kNoRow;    // row of `stacks`: where it was added
  uint32_t first_field = 0;  // row of `marker_fields`
  uint32_t field_count = 0;
  int32_t lock_wait = kNoRow;  // row of `lock_waits`: of a "LockWait"
};

struct ProfileMarker {
  int32_t name = 0;  // row of `strings`
  ProfileMarkerPhase phase = ProfileMarkerPhase::kInstant;
  double start_ms = 0;        // 0 for kIntervalEnd
  double end_ms = 0;          // 0 for kInstant and kIntervalStart
  int32_t category = kNoRow;  // row of `categories`
  int32_t data = kNoRow;      // row of `marker_data`
};

// A sampled block of the program's allocator, when the program got it or gave it back.
struct ProfileAllocation {
  double time_ms = 0;
  double bytes = 0;      // that the sample stands for; negative if the block was given back
  int64_t address = -1;  // -1: unknown, so no free can be matched
  int32_t stack = kNoRow;
};

// What the weight of a sample counts.
enum class ProfileWeightUnit : uint8_t { kSamples, kMs, kBytes };

struct ProfileThread {
  int32_t process = 0;  // row of `processes`
  int64_t tid = 0;
  std::string name;
  bool is_main = false;
  ProfileWeightUnit weight_unit = ProfileWeightUnit::kSamples;
  std::optional<double> register_ms, unregister_ms;  // life of the thread
  // The first sample's CPU time counts, too: a row stood ahead that says so, a filter took the one before it, or the
  // thread is of a format whose samples all have their own. Otherwise it is that before the recording, which nobody
  // counts.
  bool starts_later = false;
  std::optional<double> begin_ms;  // the time of that row
  bool has_states = false;         // the file says what the thread did at each sample
  std::vector<ProfileSample> samples;
  // Of kBytes: those of the samples that were freed, which weigh 0 there, with what they weigh.
  std::vector<ProfileSample> frees;
  std::vector<ProfileMarker> markers;
  std::vector<ProfileAllocation> allocations;  // in order of time; kFull
};

// Returns whether a row stands for a time in which the thread ran and had no samples. It is no sample itself.
inline bool IsGap(const ProfileThread& thread, const ProfileSample& row) {
  return thread.has_states && row.state == SampleState::kRunning && row.stack == kNoRow && row.cpu_ns > 0;
}

struct ProfileProcess {
  std::string pid;  // a string in the processed format, a number in Gecko's
  std::string name;
  double shift_ms = 0;  // added to its own times
  // Of the system, of the process that started it, or, in Gecko's format, that its profile lies in. Empty: the file
  // does not say.
  std::string parent_pid = {};
};

// The unit of energy, as the viewer knows it.
inline constexpr char kEnergyUnit[] = "pWh";
inline constexpr double kJoulesPerPwh = 3.6e-9;

// A counter, in sums: of all its rows but the first, which says what there was before.
struct ProfileCounter {
  int32_t process = 0;  // row of `processes`
  std::string name, category;
  std::string unit;       // "bytes", ...; empty: a plain number
  double total = 0;       // added
  double operations = 0;  // that added
  bool has_operations = false;
  double first_ms = 0, last_ms = 0;

  struct Row {
    double time_ms = 0;
    double count = 0;       // added since the row before
    double operations = 0;  // likewise
  };
  std::string description = "", color = "";
  bool is_rate = false;  // drawn as what was added, not as the sum of it
  std::vector<Row> rows = {};
  std::optional<double> peak = {};  // the greatest value (CounterPeak), of a rate for a second
};

// The costs of the looks of a process's sampler ("profilerOverhead"), in us. Firefox writes neither lateness nor CPU
// time.
struct ProfileOverhead {
  struct Sum {
    double total_us = 0, most_us = 0;
  };
  int32_t process = 0;  // row of `processes`
  size_t looks = 0;
  double begin_ms = 0, end_ms = 0;         // the first and the last look
  Sum locking, upkeep, counters, threads;  // the phases
  std::vector<float> lateness_us;          // of each look; empty: the file does not say
  // In ms: CPU time of the sampler, time of the program's threads in the signal handler, and the time of recording.
  std::optional<double> sampler_ms, handler_ms;
  double recording_ms = 0;
};

// Named values that a profile carries about its recording: losses, drop counters, settings.
struct ProfileSection {
  struct Entry {
    enum class Kind : uint8_t { kText, kNumber, kBytes, kMs };
    std::string label;
    std::string value;
    Kind kind = Kind::kText;
  };
  std::string label;
  std::vector<Entry> entries;
};

struct ProfileModel {
  ProfileFormat format = ProfileFormat::kGecko;
  int64_t version = 0;

  std::string product, command_line, machine;  // empty: the file does not say
  double start_epoch_ms = 0;                   // 0: the file does not say
  double interval_ms = 0;
  double begin_ms = 0;     // of the recording, on the time line of all other times
  double duration_ms = 0;  // of the recording; 0: the file does not say
  bool has_cpu_times = false;

  std::vector<std::string> strings;
  std::vector<std::string> categories;
  std::vector<std::string> category_colors;  // of each category, in the viewer's words
  std::vector<ProfileLibrary> libraries;
  std::vector<ProfileFrame> frames;
  std::vector<MarkerTypeRow> marker_schemas;
  std::vector<ProfileMarkerData> marker_data;
  std::vector<ProfileMarkerField> marker_fields;
  std::vector<ProfileFunction> functions;
  std::vector<ProfileStack> stacks;
  std::vector<ProfileLockWait> lock_waits;
  std::vector<ProfileProcess> processes;
  std::vector<ProfileThread> threads;
  std::vector<ProfileCounter> counters;
  std::vector<ProfileOverhead> overheads;
  std::vector<ProfileSection> sections;
  size_t cut_names = 0;  // names that were too long (CutLongNames)

  // REQUIRES: row is a row of `strings`.
  const std::string& Text(int32_t row) const { return strings[static_cast<size_t>(row)]; }

  // Returns the first entry of the sections for which `is_wanted` holds, or null.
  template <typename Predicate>
  const ProfileSection::Entry* FindEntry(const Predicate& is_wanted) const {
    for (const ProfileSection& section : sections) {
      const auto found = std::ranges::find_if(section.entries, is_wanted);
      if (found != section.entries.end()) return &*found;
    }
    return nullptr;
  }
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_PROFILE_MODEL_H_
