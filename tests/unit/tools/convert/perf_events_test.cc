#include "tools/convert/perf_events.h"

#include <catch2/catch.hpp>
#include <utility>

namespace geckoprof {
namespace {

TEST_CASE("events are the same whatever their PMU and modifiers") {
  for (const auto& [written, name] : {std::pair("cycles", "cycles"),
                                      {"cycles:u", "cycles"},
                                      {"cycles:ppp", "cycles"},
                                      {"cycles:P", "cycles"},
                                      {"cpu_core/cycles/P", "cycles"},
                                      {"cpu_atom/cycles/", "cycles"},
                                      {"cpu/mem-loads,ldlat=30/P", "mem-loads,ldlat=30"},
                                      {"cpu_core/event=0x3c/u", "cpu_core/event=0x3c/"},
                                      {"cycles/freq=99/u", "cycles/freq=99/"},
                                      {"intel_pt//u", "intel_pt//"},
                                      {"sched:sched_switch", "sched:sched_switch"},
                                      {"sched:sched_switch:u", "sched:sched_switch"},
                                      {"probe_app:hup", "probe_app:hup"},
                                      {"probe_app:hup:u", "probe_app:hup"},
                                      {"mem:0x1000/8:rw:u", "mem:0x1000/8:rw"},
                                      {"a/b/c", "a/b/c"},
                                      {"/", "/"},
                                      {":", ":"},
                                      {"", ""}}) {
    CHECK(PerfEventName(written) == name);
  }
  CHECK(IsPerfTimeEvent("cycles/freq=99/"));
  CHECK(IsPerfTimeEvent("task-clock"));
  CHECK_FALSE(IsPerfTimeEvent("cycles-ct"));
  CHECK_FALSE(IsPerfClockEvent("cycles"));
}

PerfEvents Events(const std::vector<std::pair<const char*, int>>& counts) {
  PerfEvents events;
  for (const auto& [written, count] : counts) {
    for (int i = 0; i < count; ++i) events.Add(written);
  }
  return events;
}

TEST_CASE("the samples are a time event's, else those of the most frequent event") {
  const auto chosen = [](const PerfEvents& events, std::string_view wanted = "") {
    return events.event(events.Choose(wanted).value()).name;
  };
  CHECK(chosen(Events({{"page-faults", 9}, {"cpu-clock:u", 2}})) == "cpu-clock");
  CHECK(chosen(Events({{"page-faults", 9}, {"cycles", 1}, {"task-clock", 2}})) == "task-clock");
  CHECK(chosen(Events({{"a", 1}, {"b", 3}, {"c", 3}})) == "b");
  const PerfEvents hybrid = Events({{"cache-misses", 4}, {"cpu_core/cycles/P", 1}, {"cpu_atom/cycles/P", 2}});
  CHECK(chosen(hybrid) == "cycles");
  CHECK(hybrid.event(1).count == 3);
  CHECK(hybrid.event(1).written == "cycles");
  CHECK(chosen(hybrid, "cache-misses:u") == "cache-misses");
  CHECK(chosen(hybrid, "cpu_atom/cycles/") == "cycles");
  CHECK(hybrid.Choose("foo").status().message() == "there is no event \"foo\", but cache-misses (4), cycles (3)");
}

TEST_CASE("how many events a sample stands for") {
  PerfEvents events;
  for (const int64_t period : {-1, 688, 0, 30}) {
    events.Add("page-faults", period);
    events.Add("cycles", period);
    events.Add("plain", -1);
    events.Add("even", 7);
  }
  CHECK(events.ListPeriods(0) == "0 to 688");
  for (size_t row = 1; row < 4; ++row) CHECK(events.ListPeriods(row).empty());
}

TEST_CASE("the list of the others") {
  const PerfEvents events = Events({{"cycles:u", 5}, {"a", 1}, {"b:u", 2}, {"", 1}});
  CHECK(events.CountOthers(0) == 4);
  CHECK(events.ListOthers(0) == "b:u (2), a (1), (no name) (1)");
  PerfEvents many;
  std::vector<std::string> names;
  for (int i = 0; i < 30; ++i) names.push_back("event-" + std::to_string(i));
  for (const std::string& name : names) many.Add(name);
  CHECK(many.ListOthers(0).ends_with(", event-20 (1), ... and 9 more"));
}

}  // namespace
}  // namespace geckoprof
