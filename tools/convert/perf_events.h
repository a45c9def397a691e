#ifndef GECKOPROF_TOOLS_CONVERT_PERF_EVENTS_H_
#define GECKOPROF_TOOLS_CONVERT_PERF_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"

namespace geckoprof {

// What event it is, whatever CPUs and modes it was counted on: "cycles" of "cpu_core/cycles/P", "cpu_atom/cycles/P" and
// "cycles:u". Of "cpu/event=0x3c/u" the PMU stays, since a number means something else on each. Lifetime: a view of
// `written`.
std::string_view PerfEventName(std::string_view written);
// Events that come as time passes on a CPU: clocks and cycles.
bool IsPerfTimeEvent(std::string_view name);
// Those whose period is CPU ns.
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

  // Counts one; the row of its event. `period` -1: the line has none.
  size_t Add(std::string_view written, int64_t period = -1);
  const Event& event(size_t row) const { return events_[row]; }
  bool empty() const { return events_.empty(); }

  // Whose samples are the samples: the one that `wanted` names, written in any way; without it the event of time that
  // has the most, or where there is none, the event that has. An error lists the events.
  absl::StatusOr<size_t> Choose(std::string_view wanted) const;
  // "page-faults (674), sched:sched_switch (3)"; all but the event of the row. The most frequent ones are first.
  std::string ListOthers(size_t row) const;
  uint64_t CountOthers(size_t row) const;
  // "1 to 688": how many events its samples stand for. Empty: the same number each; or it comes as time passes, so that
  // samples are alike whatever their periods.
  std::string ListPeriods(size_t row) const;

 private:
  std::vector<Event> events_;  // in order of the text
  absl::flat_hash_map<std::string_view, size_t> rows_, rows_as_written_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PERF_EVENTS_H_
