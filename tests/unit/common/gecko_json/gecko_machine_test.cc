#include <catch2/catch.hpp>

#include "geckoprof/base/clock.h"
#include "geckoprof/gecko_json/gecko_meta_writer.h"

namespace geckoprof {
namespace {

TEST_CASE("cpuinfo: processors are counted, the first name is taken") {
  GeckoMachine machine;
  ReadCpuInfo(
      "processor\t: 0\nvendor_id\t: Some\nmodel name\t:   A Processor @ 2.0: x\n\nprocessor\t: 1\nmodel name\t: B\n",
      machine);
  CHECK(machine.logical_cpus == 2);
  CHECK(machine.cpu_name == "A Processor @ 2.0: x");
}

TEST_CASE("cpuinfo without a name, without an end, or without anything") {
  GeckoMachine machine;
  ReadCpuInfo("processor\t: 0\nBogoMIPS\t: 50\n\nprocessor\t: 1\n\nprocessor : 2", machine);
  CHECK(machine.logical_cpus == 3);
  CHECK(machine.cpu_name.empty());
  GeckoMachine empty;
  ReadCpuInfo("", empty);
  ReadCpuInfo("processor", empty);
  CHECK(empty.logical_cpus == 0);
}

TEST_CASE("this machine is a Linux with a processor") {
  const GeckoMachine machine = ReadGeckoMachine();
  CHECK(machine.oscpu.starts_with("Linux "));
  CHECK(machine.oscpu.size() > 8);
  CHECK(machine.logical_cpus > 0);
}

TEST_CASE("only a recording of this boot has its id") {
  const int64_t now_ns = MonotonicNs();
  const double now_ms = static_cast<double>(RealtimeNs()) / 1e6;
  CHECK(ReadBootId(now_ns, now_ms).size() == 36);
  CHECK(ReadBootId(now_ns - 5'000'000'000, now_ms - 5000).size() == 36);
  CHECK(ReadBootId(now_ns, now_ms - 5000).empty());
  CHECK(ReadBootId(0, 0).empty());
}

}  // namespace
}  // namespace geckoprof
