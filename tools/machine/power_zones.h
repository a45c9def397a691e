#ifndef GECKOPROF_TOOLS_MACHINE_POWER_ZONES_H_
#define GECKOPROF_TOOLS_MACHINE_POWER_ZONES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "geckoprof/base/fd.h"
#include "tools/machine/growing_count.h"
#include "tools/machine/machine_file.h"
#include "tools/machine/machine_source.h"

namespace geckoprof {

// PowerZones reads the energy that the parts of the machine used (RAPL).
//
//   /sys/class/powercap/intel-rapl:0        package-0          a zone of each package,
//                       intel-rapl:0:0      package-0 core     and its parts
//                       intel-rapl:1        psys               the whole platform. It has the packages, too
//                       intel-rapl-mmio:0   package-0          the same again: left out
//   or, where these are missing or denied,
//   /sys/bus/event_source/devices/power     energy-pkg, energy-cores, ...    on one core of each package
//
// The counts of powercap begin anew at `max_energy_range_uj`. A zone that grows by more than 10 kW lies. Its growth is
// left out.
// Threads: one. Context: as MachineSource.
class PowerZones : public MachineSource {
 public:
  explicit PowerZones(const MachineRoots& roots);

  void Read(int64_t now_ns, std::span<uint64_t> values) override;

 private:
  struct Zone {
    MachineFile energy;
    GrowingCount count;
  };
  struct Event {
    Fd descriptor;
    double uj_per_count;
    GrowingCount count;
  };

  // Returns why a zone cannot be read, of the first such one.
  std::optional<MachineNote> FindZones(const std::string& folder);
  void FindEvents(const MachineRoots& roots);
  void OpenEvent(const MachineRoots& roots, const std::string& name, uint32_t type, int cpu);
  // Returns the total, and notes what is wrong with the reading.
  uint64_t Add(uint64_t energy_uj, int64_t now_ns, const std::string& path, GrowingCount& count);

  const std::string events_folder_;
  std::vector<Zone> zones_;    // of powercap
  std::vector<Event> events_;  // of perf
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_MACHINE_POWER_ZONES_H_
