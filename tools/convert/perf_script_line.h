#ifndef GECKOPROF_TOOLS_CONVERT_PERF_SCRIPT_LINE_H_
#define GECKOPROF_TOOLS_CONVERT_PERF_SCRIPT_LINE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"

namespace geckoprof {

// Returns the name of an event without the CPUs and modes on which it was counted. It is "cycles" for
// "cpu_core/cycles/P", "cpu_atom/cycles/P" and "cycles:u". The result keeps the PMU of "cpu/event=0x3c/u", because the
// number depends on it. Lifetime: a view of `written`.
std::string_view PerfEventName(std::string_view written);
// Returns whether the event comes as time passes on a CPU, as clocks and cycles do.
bool IsPerfTimeEvent(std::string_view name);
// Returns whether the period of the event is CPU ns.
bool IsPerfClockEvent(std::string_view name);

// PerfEvents: the events in what perf printed. Lifetime: names are views of the text.
class PerfEvents {
 public:
  struct Event {
    std::string_view name;     // without PMU and modifiers
    std::string_view written;  // as it is everywhere; the name, where it is written in several ways
    uint64_t count = 0;
    int64_t least_period = -1, most_period = -1;  // -1: no line has one
  };

  // Counts one event and returns its row. A period of -1 means that the line has none.
  size_t Add(std::string_view written, int64_t period = -1);
  const Event& event(size_t row) const { return events_[row]; }
  bool empty() const { return events_.empty(); }

  // Returns the event whose samples count. It is the one that `wanted` names, in any form. Without a name it is the
  // most frequent event of time, or else the most frequent event. An error lists the events.
  absl::StatusOr<size_t> Choose(std::string_view wanted) const;
  // Returns all events but that of the row, as in "page-faults (674), sched:sched_switch (3)". The most frequent ones
  // are first.
  std::string ListOthers(size_t row) const;
  uint64_t CountOthers(size_t row) const;
  // Returns how many events the samples stand for, as in "1 to 688". The text is empty if all stand for the same
  // number. It is empty for an event of time, too, because its samples are alike whatever their periods.
  std::string ListPeriods(size_t row) const;

 private:
  std::vector<Event> events_;  // in order of the text
  absl::flat_hash_map<std::string_view, size_t> rows_, rows_as_written_;
};

// pid and tid of a task that perf does not know: ":-1    -1/-1".
inline constexpr int64_t kUnknownPerfTask = -1;

// Lifetime, of all: views of the line.

// "python3  4711/4712 [001]  1234.567891:     250000 cpu-clock:u:  7f31c2 main (/usr/bin/python3.11)"
struct PerfSampleLine {
  std::string_view comm;
  int64_t pid = -1;  // -1: the line has the tid only, or the task is unknown: then the tid is kUnknownPerfTask, too
  int64_t tid = 0;
  double time_ms = 0;      // -1: the line has none
  int64_t period = -1;     // -1: the line has none
  std::string_view event;  // without its colon; may be empty
  std::string_view frame;  // on the same line, of samples without a call chain; may be empty
};

// "7f31c2 main+0x12 (/usr/bin/python3.11)"
struct PerfFrameLine {
  std::string_view symbol;   // without the offset
  std::string_view library;  // empty: unknown
  bool is_inlined = false;
};

// "main.c:12", of an inlined function "main.c:12 (inlined)", which then does not stand in its frame's line; without a
// file where perf knows none and prints the library instead,
// "[kernel.kallsyms][ffffffff81611f67]"
struct PerfSourceLine {
  std::string_view file;
  int32_t line = 0;
  bool is_inlined = false;
};

std::optional<PerfSampleLine> ParsePerfSample(std::string_view line);
// The same without the field "time": "prog  8484", "prog  8484  250000 cycles:", "prog  8484  7f31c2 main". Many a line
// of other formats reads like that.
std::optional<PerfSampleLine> ParseTimelessPerfSample(std::string_view line);
// A record that is no sample, of `--show-task-events` and the like: "prog  8484  1.5: PERF_RECORD_COMM:
// prog:8484/8484".
bool IsPerfRecord(std::string_view line);
std::optional<PerfFrameLine> ParsePerfFrame(std::string_view line);
std::optional<PerfSourceLine> ParsePerfSource(std::string_view line);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PERF_SCRIPT_LINE_H_
