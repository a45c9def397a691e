#include "tools/machine/cpu_frequencies.h"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/machine_tree.h"

namespace geckoprof {
namespace {

std::vector<uint64_t> Read(MachineSource& source, int64_t now_ns) {
  std::vector<uint64_t> values(source.series().size());
  source.Read(now_ns, values);
  return values;
}

TEST_CASE("each policy has the frequency of its cores, in steps of 10 MHz") {
  MachineTree tree;
  tree.AddPolicy(0, "0 1 2 3", 2'893'211);
  tree.AddPolicy(10, "10", 800'000);
  tree.AddPolicy(4, "4 5 6 7", 4'204'999);
  CpuFrequencies frequencies(tree.Roots());
  REQUIRE(frequencies.series().size() == 3);
  CHECK(frequencies.series()[0].name == "0-3");
  CHECK(frequencies.series()[1].name == "4-7");
  CHECK(frequencies.series()[2].name == "10");
  CHECK(Read(frequencies, 1) == std::vector<uint64_t>{2'890, 4'200, 800});
  tree.AddPolicy(4, "4 5 6 7", 4'205'000);
  CHECK(Read(frequencies, 2) == std::vector<uint64_t>{2'890, 4'210, 800});
  CHECK(frequencies.notes().empty());
}

TEST_CASE("frequencies that no core has are left out with one note") {
  for (const char* const text : {"0\n", "<unknown>\n", "-1\n", "", "18446744073709551615\n", "200000000\n"}) {
    INFO(text);
    MachineTree tree;
    tree.AddPolicy(0, "0", 1'000'000);
    CpuFrequencies frequencies(tree.Roots());
    tree.Write("sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq", text);
    CHECK(Read(frequencies, 1) == std::vector<uint64_t>{kNoReading});
    CHECK(Read(frequencies, 2) == std::vector<uint64_t>{kNoReading});
    REQUIRE(frequencies.notes().size() == 1);
    CHECK(frequencies.notes()[0].fault == MachineFault::kFrequencyNonsense);
    tree.AddPolicy(0, "0", 1'500'000);
    CHECK(Read(frequencies, 3) == std::vector<uint64_t>{1'500});
  }
}

TEST_CASE("a machine without policies says so, and cores that are offline have none") {
  MachineTree tree;
  tree.Write("sys/devices/system/cpu/cpufreq/boost", "1\n");
  tree.Write("sys/devices/system/cpu/cpufreq/policy3/affected_cpus", "\n");
  const CpuFrequencies frequencies(tree.Roots());
  CHECK(frequencies.series().empty());
  REQUIRE(frequencies.notes().size() == 1);
  CHECK(frequencies.notes()[0].fault == MachineFault::kNoFrequencies);
}

TEST_CASE("most descriptors of the process stay free") {
  MachineTree tree;
  for (int cpu = 0; cpu < 20; ++cpu) tree.AddPolicy(cpu, std::to_string(cpu), 1'000'000);
  rlimit limit = {};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  const rlimit low = {48, limit.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &low) == 0);
  const CpuFrequencies frequencies(tree.Roots());
  REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(frequencies.series().size() == 12);
  REQUIRE(frequencies.notes().size() == 1);
  CHECK(frequencies.notes()[0].fault == MachineFault::kFrequencyUnreadable);
}

}  // namespace
}  // namespace geckoprof
