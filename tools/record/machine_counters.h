#ifndef GECKOPROF_TOOLS_RECORD_MACHINE_COUNTERS_H_
#define GECKOPROF_TOOLS_RECORD_MACHINE_COUNTERS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/machine/machine_source.h"
#include "tools/record/counter_file.h"

namespace geckoprof {

// Returns the kernel's trees. The variable GECKOPROF_MACHINE_ROOT names the folder that has them
// (docs/guides/counters.md).
MachineRoots MachineRootsNow();

// MachineCounters reads what the features of the recorder ask for, and keeps it in the session's file of counters.
//
//   power    PowerZones      \                    series and notes: once, kept
//   cpufreq  CpuFrequencies   > Look, 20 a second ------------------------------> CounterFile
//   system   SystemLoad      /                    values that changed
//
// Looks take at most 0.5 % of one core. Before the first change of a count that rested there is a row with its old
// value and the time of the look before. All values are written every 10 s. Threads: one. Context: Look allocates
// nothing, but for what MachineSource says.
class MachineCounters {
 public:
  // `features` has bits of kRecorderFeatures. `file` must outlive the object.
  MachineCounters(uint32_t features, const MachineRoots& roots, CounterFile& file);

  // Looks if it is time to. Returns the ns until the next look. It is INT64_MAX if no feature was asked for.
  int64_t Look(int64_t now_ns);
  // To be called once more at the end.
  void LookNow(int64_t now_ns);

 private:
  struct Source {
    std::unique_ptr<MachineSource> source;
    size_t first_series = 0;
    size_t known_notes = 0;  // that are written
  };
  class RowBuilder;

  void WriteNotes(int64_t now_ns);
  void WriteValues(int64_t now_ns);

  CounterFile& file_;
  std::vector<Source> sources_;
  // By series.
  std::vector<uint64_t> values_, last_;
  std::vector<bool> is_count_;         // else it is a level, which needs no row with its old value
  std::vector<bool> is_last_written_;  // the value of the look before
  int64_t last_ns_ = 0;                // of the look before; 0: there was none
  int64_t due_ns_ = 0, all_due_ns_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_MACHINE_COUNTERS_H_
