#ifndef GECKOPROF_TOOLS_RECORD_MACHINE_ROWS_H_
#define GECKOPROF_TOOLS_RECORD_MACHINE_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "geckoprof/reader/process_profile.h"
#include "tools/machine/machine_source.h"
#include "tools/record/counter_file.h"

namespace geckoprof {

// MachineRows has the rows of a session's file that tell about the machine, and how a profile shows them.
//
//   energy      counter of the category "power", in pWh      a zone that never counts has none
//   pressure    counter, in ms of waiting
//   network     counter of the category "Bandwidth", in bytes
//   frequency   markers "CPU 0", "CPU 1", ... of the type CPUSpeed, which the viewer shows as tracks
//   notes       a line for each feature
//
// Threads: any, once it does not change any more.
class MachineRows {
 public:
  // A row that makes no sense is left out.
  void Add(const CounterRowBytes& row);

  bool empty() const { return series_.empty() && notes_.empty(); }

  // Returns at most one line for each feature: what is missing, and the remedy.
  std::vector<std::string> Lines() const;

  // Adds the features, and what was read from `begin_ns` to `end_ns`. REQUIRES: the process has a thread.
  void AddTo(int64_t begin_ns, int64_t end_ns, ProcessProfile& process) const;

 private:
  struct Point {
    int64_t time_ns;
    uint64_t value;
  };
  struct Series {
    MachineMeasure measure;
    std::string name;
    std::vector<Point> points;  // in order of time

    bool HasCounted() const;
  };

  // Bits of the features that were asked for.
  uint32_t Features() const;
  void AddText(const MachineTextRow& row);
  void AddValues(const MachineValueRow& row);
  static void AddCounter(const Series& series, int64_t begin_ns, int64_t end_ns, ProcessProfile& process);
  class SpeedSums;
  static void AddSpeeds(const Series& series, int64_t begin_ns, int64_t end_ns, SpeedSums& sums,
                        ProcessProfile& process);

  std::map<uint16_t, Series> series_;  // by number
  std::map<MachineFault, MachineNote> notes_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_MACHINE_ROWS_H_
