#include "tests/support/machine_tree.h"

#include <errno.h>

#include <filesystem>
#include <fstream>

#include "tools/text/concat.h"

namespace geckoprof {

void MachineTree::Write(const std::string& name, std::string_view text) const {
  const std::filesystem::path file = std::filesystem::path(path()) / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

void MachineTree::Remove(const std::string& name) const {
  std::filesystem::remove_all(std::filesystem::path(path()) / name);
}

void MachineTree::AddZone(const std::string& zone, const std::string& name, uint64_t energy_uj, uint64_t range_uj) {
  const std::string folder = "sys/class/powercap/" + zone;
  Write(folder + "/name", name + "\n");
  Write(folder + "/energy_uj", Concat(energy_uj, "\n"));
  Write(folder + "/max_energy_range_uj", Concat(range_uj, "\n"));
  Write(folder + "/constraint_0_power_limit_uw", "125000000\n");
}

void MachineTree::AddTwoPackages() {
  Write("sys/class/powercap/intel-rapl/enabled", "1\n");  // the control type, which has no energy
  for (const int package : {0, 1}) {
    const std::string zone = Concat("intel-rapl:", package);
    AddZone(zone, Concat("package-", package), 1'000'000);
    AddZone(zone + ":0", "core", 2'000'000);
    AddZone(zone + ":1", "uncore", 3'000'000);
    AddZone(zone + ":2", "dram", 4'000'000, 65'712'999'613);
  }
}

void MachineTree::AddPowerEvents() {
  const std::string folder = "sys/bus/event_source/devices/power";
  Write(folder + "/type", "11\n");
  Write(folder + "/cpumask", "0,8\n");
  Write("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
  Write("sys/devices/system/cpu/cpu8/topology/physical_package_id", "1\n");
  int number = 1;
  for (const char* const name : {"energy-cores", "energy-pkg", "energy-ram", "energy-gpu", "energy-psys"}) {
    Write(Concat(folder, "/events/", name), Concat("event=0x0", number++, "\n"));
    Write(Concat(folder, "/events/", name, ".scale"), "2.3283064365386962890625e-10\n");
    Write(Concat(folder, "/events/", name, ".unit"), "Joules\n");
  }
}

void MachineTree::AddPolicy(int number, const std::string& cpus, uint64_t khz) {
  const std::string folder = Concat("sys/devices/system/cpu/cpufreq/policy", number);
  Write(folder + "/affected_cpus", cpus + "\n");
  Write(folder + "/scaling_cur_freq", Concat(khz, "\n"));
}

void MachineTree::SetPressure(const std::string& what, uint64_t total_us) {
  const auto line = [](const char* key, uint64_t total) {
    return Concat(key, " avg10=0.12 avg60=0.03 avg300=0.00 total=", total, "\n");
  };
  Write("proc/pressure/" + what, line("some", total_us) + line("full", what == "cpu" ? 0 : total_us / 2));
}

void MachineTree::SetNetwork(uint64_t received_bytes, uint64_t sent_bytes, bool has_device) {
  const auto line = [](const char* name, uint64_t received, uint64_t sent) {
    return Concat(name, ": ", received, "  10    0    0    0     0          0         0  ", sent,
                  "       7    0    0    0     0       0          0\n");
  };
  Write(
      "proc/net/dev",
      "Inter-|   Receive                                                |  Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier "
      "compressed\n" +
          line("    lo", received_bytes * 10, sent_bytes * 10) + line("  eth0", received_bytes, sent_bytes) +
          line("docker0", 2 * received_bytes, 2 * sent_bytes));
  Write("sys/class/net/docker0/mtu", "1500\n");
  if (has_device) Write("sys/class/net/eth0/device/uevent", "\n");
}

MachineRoots MachineTree::Roots() const {
  return {
      .sys = path() + "/sys", .proc = path() + "/proc", .open_event = [](uint32_t, uint64_t, int) { return -EACCES; }};
}

}  // namespace geckoprof
