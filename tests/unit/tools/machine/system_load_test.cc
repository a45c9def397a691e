#include "tools/machine/system_load.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "geckoprof/base/clock.h"
#include "tests/support/machine_tree.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr int64_t kPauseNs = 50 * kNsPerMs;

std::vector<uint64_t> Read(MachineSource& source, int64_t now_ns) {
  std::vector<uint64_t> values(source.series().size());
  source.Read(now_ns, values);
  return values;
}

uint64_t ValueOf(const MachineSource& source, const std::vector<uint64_t>& values, MachineMeasure measure) {
  const auto found = std::ranges::find(source.series(), measure, &MachineSeries::measure);
  REQUIRE(found != source.series().end());
  return values[static_cast<size_t>(found - source.series().begin())];
}

std::vector<MachineFault> FaultsOf(const MachineSource& source) {
  std::vector<MachineFault> faults;
  for (const MachineNote& note : source.notes()) faults.push_back(note.fault);
  return faults;
}

void SetAllPressures(MachineTree& tree, uint64_t total_us) {
  for (const char* const what : {"cpu", "memory", "io"}) tree.SetPressure(what, total_us);
}

TEST_CASE("pressure and the bytes of devices count from the first reading on") {
  MachineTree tree;
  SetAllPressures(tree, 1'000'000);
  tree.SetNetwork(5'000, 300);
  SystemLoad load(tree.Roots());
  CHECK(load.series().size() == 7);
  CHECK(Read(load, kPauseNs) == std::vector<uint64_t>(7, 0));
  tree.SetPressure("cpu", 1'010'000);
  tree.SetPressure("io", 1'020'000);
  tree.SetNetwork(6'000, 350);
  const std::vector<uint64_t> values = Read(load, 2 * kPauseNs);
  CHECK(ValueOf(load, values, MachineMeasure::kCpuPressure) == 10'000);
  CHECK(ValueOf(load, values, MachineMeasure::kMemoryPressure) == 0);
  CHECK(ValueOf(load, values, MachineMeasure::kMemoryStall) == 0);
  CHECK(ValueOf(load, values, MachineMeasure::kIoPressure) == 20'000);
  CHECK(ValueOf(load, values, MachineMeasure::kIoStall) == 10'000);
  CHECK(ValueOf(load, values, MachineMeasure::kReceivedBytes) == 1'000);
  CHECK(ValueOf(load, values, MachineMeasure::kSentBytes) == 50);
  CHECK(load.notes().empty());
}

TEST_CASE("where no interface is a device, all but lo count") {
  MachineTree tree;
  SetAllPressures(tree, 0);
  tree.SetNetwork(1'000, 100, /*has_device=*/false);
  SystemLoad load(tree.Roots());
  (void)Read(load, kPauseNs);
  tree.SetNetwork(1'001, 102, /*has_device=*/false);
  const std::vector<uint64_t> values = Read(load, 2 * kPauseNs);
  CHECK(ValueOf(load, values, MachineMeasure::kReceivedBytes) == 1 + 2);
  CHECK(ValueOf(load, values, MachineMeasure::kSentBytes) == 2 + 4);
}

TEST_CASE("an interface that comes, goes and begins anew changes no other bytes") {
  MachineTree tree;
  SetAllPressures(tree, 0);
  tree.SetNetwork(1'000, 100);
  SystemLoad load(tree.Roots());
  (void)Read(load, kPauseNs);
  tree.Write("sys/class/net/usb0/device/uevent", "\n");
  const auto usb = [](uint64_t received) { return Concat("usb0: ", received, " 0 0 0 0 0 0 0 ", received, " 0\n"); };
  const auto received_with = [&](const std::string& lines, int64_t look) {
    tree.Write("proc/net/dev", "titles | of columns\n" + lines);
    return ValueOf(load, Read(load, look * kPauseNs), MachineMeasure::kReceivedBytes);
  };
  const std::string eth0 = "  eth0: 1000 0 0 0 0 0 0 0 100 0\n";
  CHECK(received_with(usb(7'000) + eth0, 2) == 0);
  CHECK(received_with(eth0 + usb(7'010), 3) == 10);
  CHECK(received_with(eth0, 4) == 10);
  CHECK(received_with(eth0 + usb(3), 5) == 10);
  CHECK(received_with(eth0 + usb(5), 6) == 12);
  CHECK(load.notes().empty());
}

TEST_CASE("lies of the kernel are left out with one note") {
  MachineTree tree;
  SetAllPressures(tree, 1'000);
  tree.SetNetwork(1'000, 100);
  SystemLoad load(tree.Roots());
  (void)Read(load, kPauseNs);
  tree.Write("proc/pressure/cpu", "some avg10=0.00 total=-7\n");
  tree.Write("proc/pressure/io", "full of nonsense");
  tree.Write("proc/pressure/memory", "some total=99999999999999999999\nfull total=1000000000000\n");
  tree.Write("proc/net/dev", "eth0: 18446744073709551615 0\n: 5 5\nveryverylongnameofaninterface: 5\neth0\n");
  const std::vector<uint64_t> values = Read(load, 2 * kPauseNs);
  for (const uint64_t value : values) CHECK((value == 0 || value == kNoReading));
  CHECK(FaultsOf(load) == std::vector{MachineFault::kLoadNonsense});
  SetAllPressures(tree, 2'000);
  tree.SetNetwork(1'500, 100);
  CHECK(ValueOf(load, Read(load, 3 * kPauseNs), MachineMeasure::kCpuPressure) == 1'000);
}

TEST_CASE("a kernel without PSI has the network and one note, and one with neither two") {
  MachineTree tree;
  tree.SetNetwork(1, 1);
  const SystemLoad load(tree.Roots());
  CHECK(load.series().size() == 2);
  CHECK(FaultsOf(load) == std::vector{MachineFault::kNoPressure});
  const SystemLoad nothing(MachineTree().Roots());
  CHECK(nothing.series().empty());
  CHECK(FaultsOf(nothing) == std::vector{MachineFault::kNoPressure, MachineFault::kNoNetwork});
}

TEST_CASE("this machine's own files are read") {
  SystemLoad load(MachineRoots::Below(""));
  const std::vector<uint64_t> values = Read(load, kPauseNs);
  CHECK(ValueOf(load, values, MachineMeasure::kReceivedBytes) == 0);
}

}  // namespace
}  // namespace geckoprof
