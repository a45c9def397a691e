#ifndef GECKOPROF_TESTS_SUPPORT_MACHINE_TREE_H_
#define GECKOPROF_TESTS_SUPPORT_MACHINE_TREE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/support/temporary_folder.h"
#include "tools/machine/machine_source.h"

namespace geckoprof {

// MachineTree is a folder with the files of /sys and /proc that a machine would have.
class MachineTree {
 public:
  // Files of the kernel that tell about power.
  void AddZone(const std::string& zone, const std::string& name, uint64_t energy_uj,
               uint64_t range_uj = 262'143'328'850);
  // intel-rapl: two packages, with core, uncore and dram each.
  void AddTwoPackages();
  // The PMU "power" with one event of each name, on cores 0 and 8 of packages 0 and 1.
  void AddPowerEvents();
  void AddPolicy(int number, const std::string& cpus, uint64_t khz);
  // /proc/pressure, where a stall is half of the pressure.
  void SetPressure(const std::string& what, uint64_t total_us);
  // /proc/net/dev with lo, eth0 (which is a device) and docker0.
  void SetNetwork(uint64_t received_bytes, uint64_t sent_bytes, bool has_device = true);

  // Writes a file, and the folders above it.
  void Write(const std::string& name, std::string_view text) const;
  void Remove(const std::string& name) const;
  std::string EnergyOf(const std::string& zone) const { return "sys/class/powercap/" + zone + "/energy_uj"; }

  const std::string& path() const { return folder_.path(); }
  // The event opener refuses everything.
  MachineRoots Roots() const;

 private:
  TemporaryFolder folder_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_SUPPORT_MACHINE_TREE_H_
