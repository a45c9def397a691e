#ifndef GECKOPROF_TOOLS_CONVERT_PERF_SCRIPT_LINE_H_
#define GECKOPROF_TOOLS_CONVERT_PERF_SCRIPT_LINE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace geckoprof {

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
