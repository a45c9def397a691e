// Facts that follow from the tables of a profile. Every output format needs them.
#ifndef GECKOPROF_READER_PROFILE_FACTS_H_
#define GECKOPROF_READER_PROFILE_FACTS_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// Returns the display name of a process. It is never empty and views `process`. The first of these that exists is used:
//   the name that the process gave itself (geckoprof_base_set_process_name)
//   its first argument without folders
//   the name of its executable
//   the kernel's command name
//   "unknown program", for a process that ended before it recorded any of them
std::string_view ProgramName(const ProcessProfile& process);

// Returns the number that stands for a process in an output file. Viewers key their tracks by it.
// The first program of a pid has the pid itself. Later images (after exec) get 10'000'000 * image + pid. The kernel's
// pids stay below 4'194'304, so no pid collides with them. Another pid namespace adds 10^14 * pid_space.
int64_t OutputPid(const ProcessProfile& process);

// Returns the start of the recording. It is the start of the process unless the program started recording later.
int64_t RecordingStartNs(const ProcessProfile& process);

// Returns the end of the recording. Each sample stands for an interval, and so does the last one. A viewer leaves out
// rows that lie at the very end, so the end is one interval later than the last sample.
int64_t RecordingEndNs(const ProcessProfile& process);

// Returns the sampling interval that was in use at a time. It is at least 1.
int64_t IntervalAt(const ProcessProfile& process, int64_t time_ns);

// Returns the interval that was asked for. The limit of the profiler's own time may have made it longer at times.
inline int64_t AskedInterval(const ProcessProfile& process) {
  return process.asked_interval_ns > 0 ? process.asked_interval_ns : process.interval_ns;
}
// Returns the number of asked intervals that one tick of a row stands for. It is 1 while the asked interval is in
// force. A running thread may have rows besides those of its clock, so its number comes from the CPU time of the row.
int64_t IntervalsOfRow(const ProcessProfile& process, const SampleRow& row);

// Returns whether a row stands for a time in which the thread ran and had no samples.
inline bool IsGap(const SampleRow& row) {
  return row.state == SampleState::kRunning && row.stack == kNone && row.cpu_delta_ns > 0;
}

// Returns whether a row is a sample, which shows a running thread. A row without CPU time says that the thread did not
// run, or since when it is known.
inline bool IsSample(const SampleRow& row) {
  return row.state == SampleState::kRunning && row.cpu_delta_ns != 0 && !IsGap(row);
}

// Returns how many rows an idle run may become. The result is `idle_ticks`, limited to the number of ticks that fit
// between the row before it (at `previous_ns`) and its end.
uint64_t IdleRows(const SampleRow& sample, int64_t previous_ns);

// Returns time_ns - zero_ns, clamped to the range of int64_t.
constexpr int64_t RelativeNs(int64_t time_ns, int64_t zero_ns) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(time_ns, zero_ns, &difference)) return difference;
  return time_ns < zero_ns ? INT64_MIN : INT64_MAX;
}

// Returns whether the output formats use this key of a marker's data themselves. No marker type may declare it. Data of
// a type that writes itself loses such a key.
bool IsReservedMarkerKey(std::string_view key);

// Returns the part after the last '/'.
std::string_view PathBaseName(std::string_view path);

// LossKind says what the count of a LossRow counts. A loss belongs to the difference between requested and taken
// samples only if it is kLost.
enum class LossKind : uint8_t {
  kLost,       // data that is not in the profile: "Lost: no-chunk"
  kNoStack,    // a sample without its stack: "No stack: signal-blocked"
  kNoRequest,  // a tick without a request to a thread: "Ticks without a request: answer-pending"
};

// The kinds in the order in which outputs show them.
inline constexpr std::array kLossKinds = {LossKind::kLost, LossKind::kNoStack, LossKind::kNoRequest};

// Returns the kind for LossRow::what. An unknown word is kLost.
LossKind KindOfLoss(std::string_view what);

// Returns the start of the labels of a kind, such as "Lost: ".
std::string_view LossPrefix(LossKind kind);

// Returns the text that every output shows for LossRow::what.
std::string LossLabel(std::string_view what);

}  // namespace geckoprof

#endif  // GECKOPROF_READER_PROFILE_FACTS_H_
