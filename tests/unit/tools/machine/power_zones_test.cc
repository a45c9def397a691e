#include "tools/machine/power_zones.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "geckoprof/base/clock.h"
#include "tests/support/machine_tree.h"

namespace geckoprof {
namespace {

constexpr int64_t kPauseNs = 50 * kNsPerMs;

std::vector<std::string> NamesOf(const MachineSource& source) {
  std::vector<std::string> names;
  for (const MachineSeries& series : source.series()) names.push_back(series.name);
  return names;
}

std::vector<MachineFault> FaultsOf(const MachineSource& source) {
  std::vector<MachineFault> faults;
  for (const MachineNote& note : source.notes()) faults.push_back(note.fault);
  return faults;
}

std::vector<uint64_t> Read(MachineSource& source, int64_t now_ns) {
  std::vector<uint64_t> values(source.series().size());
  source.Read(now_ns, values);
  return values;
}

using Names = std::vector<std::string>;
using Values = std::vector<uint64_t>;
using Faults = std::vector<MachineFault>;

TEST_CASE("two packages have a zone each, and one for each of their parts") {
  MachineTree tree;
  tree.AddTwoPackages();
  PowerZones zones(tree.Roots());
  CHECK(NamesOf(zones) == Names{"package-0", "package-0 core", "package-0 uncore", "package-0 dram", "package-1",
                                "package-1 core", "package-1 uncore", "package-1 dram"});
  CHECK(Read(zones, kPauseNs) == Values(8, 0));
  tree.Write(tree.EnergyOf("intel-rapl:1"), "3500000\n");
  tree.Write(tree.EnergyOf("intel-rapl:0:2"), "4000061\n");
  CHECK(Read(zones, 2 * kPauseNs) == Values{0, 0, 0, 61, 2'500'000, 0, 0, 0});
  CHECK(zones.notes().empty());
}

TEST_CASE("zones that another interface shows again count once, and psys is one of its own") {
  MachineTree tree;
  tree.AddZone("intel-rapl:0", "package-0", 1);
  tree.AddZone("intel-rapl:1", "psys", 1);
  tree.AddZone("intel-rapl-mmio:0", "package-0", 1);
  tree.AddZone("dtpm", "dtpm", 1);
  tree.Remove("sys/class/powercap/dtpm/energy_uj");
  CHECK(NamesOf(PowerZones(tree.Roots())) == Names{"package-0", "psys"});
}

TEST_CASE("AMD has a package and its cores") {
  MachineTree tree;
  tree.AddZone("intel-rapl:0", "package-0", 5, 65'532'610'987);
  tree.AddZone("intel-rapl:0:0", "core", 5, 65'532'610'987);
  PowerZones zones(tree.Roots());
  CHECK(NamesOf(zones) == Names{"package-0", "package-0 core"});
  (void)Read(zones, kPauseNs);
  tree.Write(tree.EnergyOf("intel-rapl:0"), "100\n");
  CHECK(Read(zones, 2 * kPauseNs) == Values{95, 0});
}

TEST_CASE("a zone wraps at its range, and one without a sound range loses that pause") {
  MachineTree tree;
  tree.AddZone("intel-rapl:0", "package-0", 990, 1'000);
  tree.AddZone("intel-rapl:1", "package-1", 990, 1'000);
  tree.Write("sys/class/powercap/intel-rapl:1/max_energy_range_uj", "-7\n");
  PowerZones zones(tree.Roots());
  (void)Read(zones, kPauseNs);
  tree.Write(tree.EnergyOf("intel-rapl:0"), "25\n");
  tree.Write(tree.EnergyOf("intel-rapl:1"), "25\n");
  CHECK(Read(zones, 2 * kPauseNs) == Values{35, 0});
  tree.Write(tree.EnergyOf("intel-rapl:1"), "30\n");
  CHECK(Read(zones, 3 * kPauseNs) == Values{35, 5});
}

TEST_CASE("numbers that make no sense are left out with one note") {
  for (const char* const text :
       {"", "garbage\n", "-5\n", "99999999999999999999999999\n", "900000000000\n", "12 34\n"}) {
    INFO(text);
    MachineTree tree;
    tree.AddZone("intel-rapl:0", "package-0", 1'000);
    PowerZones zones(tree.Roots());
    (void)Read(zones, kPauseNs);
    tree.Write(tree.EnergyOf("intel-rapl:0"), text);
    for (int64_t look = 2; look < 5; ++look) {
      const Values values = Read(zones, look * kPauseNs);
      CHECK((values[0] == 0 || values[0] == kNoReading));
    }
    CHECK(FaultsOf(zones) == Faults{MachineFault::kPowerNonsense});
    CHECK(zones.notes()[0].detail.ends_with("intel-rapl:0/energy_uj"));
    tree.Write(tree.EnergyOf("intel-rapl:0"), "1500\n");
    CHECK(Read(zones, 5 * kPauseNs)[0] == 500);
  }
}

TEST_CASE("a zone that vanishes has no reading, and counts on when it comes back") {
  MachineTree tree;
  tree.AddZone("intel-rapl:0", "package-0", 1'000);
  PowerZones zones(tree.Roots());
  (void)Read(zones, kPauseNs);
  // An open file of a test stays readable, while the kernel's says ENODEV. A folder cannot be read, either.
  const std::string path = tree.EnergyOf("intel-rapl:0");
  tree.Remove(path);
  tree.Write(path + "/x", "");
  MachineFile file(tree.path() + "/" + path);
  CHECK(file.ReadNumber(1) == kNoReading);
  CHECK(file.error() == EISDIR);
  tree.Remove(path);
  CHECK(file.ReadNumber(2) == kNoReading);  // it waits for a second
  CHECK(file.ReadNumber(2 * kNsPerSecond) == kNoReading);
  CHECK(file.error() == ENOENT);
  tree.Write(path, "1200\n");
  CHECK(file.ReadNumber(4 * kNsPerSecond) == 1'200);
  CHECK(file.error() == 0);
}

// The events of a test are pipes.
class TestEvents {
 public:
  int Open(uint32_t type, uint64_t config, int cpu) {
    CHECK(type == 11);
    int ends[2] = {};
    if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) return -errno;
    inputs_.emplace(std::pair(cpu, config), Fd(ends[1]));
    return ends[0];
  }
  void Set(int cpu, uint64_t config, uint64_t count) {
    CHECK(write(inputs_.at({cpu, config}).number(), &count, sizeof(count)) == sizeof(count));
  }
  size_t size() const { return inputs_.size(); }

 private:
  std::map<std::pair<int, uint64_t>, Fd> inputs_;
};

TEST_CASE("without powercap, perf events count the energy of each package") {
  constexpr uint64_t kPackage = 2, kCountsPerJoule = uint64_t{1} << 32;
  MachineTree tree;
  tree.AddPowerEvents();
  TestEvents events;
  MachineRoots roots = tree.Roots();
  roots.open_event = [&events](uint32_t type, uint64_t config, int cpu) { return events.Open(type, config, cpu); };
  PowerZones zones(roots);
  CHECK(events.size() == 9);  // psys is there once
  CHECK(NamesOf(zones) == Names{"package-0 core", "package-0 uncore", "package-0", "psys", "package-0 dram",
                                "package-1 core", "package-1 uncore", "package-1", "package-1 dram"});
  events.Set(8, kPackage, 0);
  CHECK(std::ranges::count(Read(zones, kPauseNs), kNoReading) == 8);
  events.Set(8, kPackage, kCountsPerJoule * 3 / 2);
  CHECK(Read(zones, 2 * kPauseNs)[7] == 1'500'000);
  CHECK(zones.notes().size() == 1);  // of the pipes that were empty
}

TEST_CASE("a machine without zones says so, and so does one that denies them") {
  CHECK(FaultsOf(PowerZones(MachineTree().Roots())) == Faults{MachineFault::kNoZones});
  MachineTree virtual_machine;
  virtual_machine.AddPowerEvents();
  CHECK(FaultsOf(PowerZones(virtual_machine.Roots())) == Faults{MachineFault::kEventsDenied});
  CHECK(PowerZones(virtual_machine.Roots()).series().empty());
}

TEST_CASE("energy that root alone may read has a note of its own") {
  if (geteuid() == 0 && seteuid(65534) != 0) return;
  MachineTree tree;
  tree.AddTwoPackages();
  for (const char* const zone : {"intel-rapl:0", "intel-rapl:0:0", "intel-rapl:0:1", "intel-rapl:0:2", "intel-rapl:1",
                                 "intel-rapl:1:0", "intel-rapl:1:1", "intel-rapl:1:2"}) {
    REQUIRE(chmod((tree.path() + "/" + tree.EnergyOf(zone)).c_str(), 0) == 0);
  }
  const PowerZones denied(tree.Roots());
  CHECK(FaultsOf(denied) == Faults{MachineFault::kZonesDenied});
  CHECK(denied.series().empty());
  tree.AddPowerEvents();
  CHECK(FaultsOf(PowerZones(tree.Roots())) == Faults{MachineFault::kEventsDenied, MachineFault::kZonesDenied});
  // Perf events are as good.
  TestEvents events;
  MachineRoots roots = tree.Roots();
  roots.open_event = [&events](uint32_t type, uint64_t config, int cpu) { return events.Open(type, config, cpu); };
  const PowerZones by_events(roots);
  CHECK(by_events.series().size() == 9);
  CHECK(by_events.notes().empty());
  if (getuid() == 0) CHECK(seteuid(0) == 0);
}

}  // namespace
}  // namespace geckoprof
