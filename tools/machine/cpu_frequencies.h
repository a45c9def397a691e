#ifndef GECKOPROF_TOOLS_MACHINE_CPU_FREQUENCIES_H_
#define GECKOPROF_TOOLS_MACHINE_CPU_FREQUENCIES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "tools/machine/machine_file.h"
#include "tools/machine/machine_source.h"

namespace geckoprof {

// CpuFrequencies reads the frequency of each core.
//
//   /sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq    2893211 kHz --> 2890 MHz
//                                           affected_cpus       0 1 2 3     --> "0-3", which have one clock
//
// Frequencies are rounded to 10 MHz, so that the noise of a measured clock makes no rows.
// Threads: one. Context: as MachineSource.
class CpuFrequencies : public MachineSource {
 public:
  explicit CpuFrequencies(const MachineRoots& roots);

  void Read(int64_t now_ns, std::span<uint64_t> values) override;

 private:
  std::vector<MachineFile> policies_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_MACHINE_CPU_FREQUENCIES_H_
