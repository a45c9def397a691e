#include "tools/convert/pprof_values.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

using Choice = PprofValues::Choice;

PprofValues Values(const std::vector<PprofValues::Type>& types) {
  PprofValues values;
  for (const PprofValues::Type& type : types) values.Add(type);
  return values;
}

// "contentions | delay (nanoseconds)": what is taken, and what is not.
std::string Taken(const PprofValues& values, std::string_view wanted = "", std::string_view default_name = "") {
  const Choice choice = values.Choose(wanted, default_name).value();
  return values.NameTaken(choice) + " | " + values.ListOthers(choice);
}

TEST_CASE("units of time and memory") {
  CHECK(PprofUnitNs("nanoseconds") == 1);
  CHECK(PprofUnitNs("ms") == 1e6);
  CHECK(PprofUnitNs("bytes") == 0);
  CHECK(PprofUnitBytes("bytes") == 1);
  CHECK(PprofUnitBytes("megabytes") == 1048576);
  CHECK(PprofUnitBytes("count") == 0);
}

TEST_CASE("samples and their CPU time are one choice") {
  const PprofValues cpu = Values({{"samples", "count"}, {"cpu", "nanoseconds"}});
  CHECK(Taken(cpu) == "samples with the CPU time of cpu | ");
  CHECK(Taken(cpu, "samples") == "samples with the CPU time of cpu | ");
  CHECK(Taken(cpu, "", "samples") == "samples with the CPU time of cpu | ");
  CHECK(Taken(cpu, "cpu") == "cpu | samples (count)");
  const Choice choice = cpu.Choose("cpu", "").value();
  CHECK(choice.is_cpu_alone());
  CHECK(choice.scale == 1e-6);
  CHECK_FALSE(cpu.Choose("", "").value().is_cpu_alone());
  CHECK(cpu.Choose("", "").value().scale == 1);
}

TEST_CASE("a count is that of the time behind it") {
  const PprofValues both = Values(
      {{"alloc-samples", "count"}, {"alloc-space", "bytes"}, {"cpu-samples", "count"}, {"cpu-time", "nanoseconds"}});
  CHECK(Taken(both) == "cpu-samples with the CPU time of cpu-time | alloc-samples (count), alloc-space (bytes)");
  CHECK(Taken(both, "alloc-samples") ==
        "alloc-samples | alloc-space (bytes), cpu-samples (count), cpu-time (nanoseconds)");
  CHECK(Taken(both, "cpu-samples").starts_with("cpu-samples with the CPU time of cpu-time"));
  CHECK(Taken(both, "", "alloc-space").starts_with("alloc-space | "));
  CHECK(both.Choose("alloc-space", "").value().unit == ProfileWeightUnit::kBytes);
  CHECK(Taken(Values({{"cpu", "ns"}, {"samples", "count"}}), "", "cpu") == "samples with the CPU time of cpu | ");
}

TEST_CASE("a time that is no CPU time weighs where it is asked for, or where nothing counts") {
  const PprofValues block = Values({{"contentions", "count"}, {"delay", "nanoseconds"}});
  CHECK(Taken(block) == "contentions | delay (nanoseconds)");
  CHECK(block.Choose("", "").value().time == 1);
  CHECK_FALSE(block.Choose("", "").value().has_cpu);
  CHECK(Taken(block, "delay") == "delay | contentions (count)");
  const Choice delay = block.Choose("delay", "").value();
  CHECK(delay.unit == ProfileWeightUnit::kMs);
  CHECK(delay.scale == 1e-6);
  CHECK_FALSE(delay.time.has_value());
  CHECK(Values({{"wall", "s"}}).Choose("", "").value().scale == 1000);
}

TEST_CASE("what is not there") {
  const PprofValues values = Values({{"contentions", "count"}, {"", ""}});
  CHECK(values.Choose("cpu", "").status().message() ==
        "there is no value \"cpu\", but contentions (count), (no name) ((no name))");
  CHECK(Taken(values, "", "gone") == "(no name) | contentions (count)");
  CHECK(Taken(Values({{"a", ""}})) == "a | ");
  PprofValues many;
  for (int i = 0; i < 30; ++i) many.Add({"a", "count"});
  CHECK(Taken(many).ends_with(", ... and 9 more"));
}

}  // namespace
}  // namespace geckoprof
